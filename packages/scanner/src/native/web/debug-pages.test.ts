import { expect, it } from 'vitest'
import { debugSignsIn, sqlErrorIn } from '#native/web/debug-pages.ts'

const page = (status: number, body: string, headers: readonly (readonly [string, string])[] = []) =>
  debugSignsIn({ status, headers, body })

it.each([
  ['Starlette', 500, '<html><head><title>Starlette Debugger</title></head>'],
  ['Litestar', 500, '<title>Litestar exception page</title>'],
  ['Python', 500, '<pre>Traceback (most recent call last):\n  File "/srv/app.py", line 3, in item\n'],
  [
    'Quart',
    500,
    'File <span class="info">/srv/app.py</span>,\n        line <span class="info">11</span>, in\n<div class="locals">',
  ],
  ['Catalyst', 500, '<title>Shop on Catalyst 5.90130</title><h2>Request</h2><div id="dump_0"><pre>do {'],
  ['Rails', 404, '<title>Action Controller: Exception caught</title>'],
  ['errorhandler of Express', 500, '<ul id="stacktrace"><li> &nbsp; &nbsp;at item (/srv/app.js:3:5)</li></ul>'],
  ['Spring Boot', 500, '{"status":500,"trace":"java.lang.X\\n\\tat lab.App.item(App.java:9)"}'],
  ['Python, as JSON', 500, '{"trace":"Traceback (most recent call last):\\n  File \\"/srv/a.py\\", line 3, in item"}'],
  ['Backlash', 500, "<title>ValueError: invalid literal for int() with base 10: 'x' // Backlash</title>"],
  [
    'Sails',
    500,
    'Error: no connection\n    at GET /orders/:id (/srv/app.js:8:55)\n    at next (/srv/node_modules/a.js:3:9)',
  ],
  ['Bun', 500, '<body>\n    <script id="__bunfallback" type="binary">\n      ARMAAABHRVQg'],
  ['PHP, as text', 500, '#0 /srv/index.php(7): Shop->order()\n#1 /srv/lib/app.php(40): call()\n#2 {main}'],
  ['Plack', 500, '<ol>\n<li class="frame">in Shop::order at /srv/app.psgi line 8<pre class="context"><code>'],
  [
    'Plack, as text',
    500,
    "No number at /srv/app.psgi line 8\n\tShop::order('1') called at /srv/a.pm line 24\n\tShop::call('2') called at /srv/b.pm line 5",
  ],
  ['CGI::Carp', 500, '<h1>Software error:</h1>\n<pre>No number at /srv/cgi-bin/order.pl line 3.\n</pre>'],
  [
    'ASP.NET Core, as text',
    500,
    'System.Exception: no number\n   at Shop.Orders.Show(String id) in /srv/Orders.cs:line 12\n',
  ],
  [
    'Ruby, as text',
    500,
    "ArgumentError: no number\n\t/srv/app.rb:3:in `Integer'\n\t/srv/app.rb:3:in `block in <main>'\n",
  ],
  [
    'Go',
    500,
    'panic\n\ngoroutine 34 [running]:\nruntime/debug.Stack()\n\t/usr/lib/go/src/runtime/debug/stack.go:24 +0x5e\n',
  ],
  ['Lua', 500, "a.lua:3: no number\nstack traceback:\n\t[C]: in function 'error'\n"],
  ['Elixir', 500, '** (ArgumentError) no number\n    (shop 0.1.0) lib/shop/order.ex:7: Shop.Order.show/2\n'],
  ['PHP', 200, '<br />\n<b>Warning</b>:  Undefined array key "a" in <b>/srv/www/a.php</b> on line <b>3</b><br />'],
])('recognizes the debug page of %s', (_, status, body) => {
  expect(page(status, body)).toBeDefined()
})

it('recognizes the profiler of Symfony by its header', () => {
  expect(page(200, '<p>shop', [['X-Debug-Token-Link', 'http://shop/_profiler/a1b2c3']])).toBeDefined()
})

it.each([
  ['a manual about stack traces', 200, 'Traceback (most recent call last):\n  File "/srv/app.py", line 3, in item'],
  ['a plain error', 500, '<h1>Internal Server Error</h1>'],
  [
    "Jetty's own page",
    500,
    '<title>Error 500 java.io.FileNotFoundException: a.css</title>\n</head>\n<body><h2>HTTP ERROR 500 java.io.FileNotFoundException: a.css</h2>\n<pre>java.io.FileNotFoundException: a.css\n\tat org.eclipse.jetty.server.ResourceService.doGet(ResourceService.java:249)',
  ],
  [
    "Tomcat's own page",
    500,
    '<title>HTTP Status 500 – Internal Server Error</title><pre>java.lang.X\n\tat lab.App.item(App.java:9)',
  ],
  ['an error with a message that names a place', 500, 'No number at the counter in line 8'],
  ['an error that lists links', 404, '<ol><li class="frame">at /orders</li></ol> Error at /orders: line 8 is missing'],
  ['a manual about PHP', 200, '<pre>&lt;b&gt;Warning&lt;/b&gt;: Undefined variable in a.php on line 3</pre>'],
])('is silent on %s', (_, status, body) => {
  expect(page(status, body)).toBeUndefined()
})

it('finds errors of databases, but not the word SQL', () => {
  expect(sqlErrorIn('SQLITE_ERROR: unrecognized token: "\'<g1>"')).toBeDefined()
  const django =
    '<title>OperationalError at /phones/</title><pre class="exception_value">unrecognized token: &quot;&quot;&#x27;&lt;g1&gt;&quot;</pre>'
  expect(sqlErrorIn(django)).toBeDefined()
  expect(
    sqlErrorIn('DBD::SQLite::db selectall_arrayref failed: unrecognized token: &quot;&#39;&quot; at a.pl'),
  ).toBeDefined()
  expect(sqlErrorIn('{"stack":["SqliteError: near \\"%\\": syntax error"]}')).toBeDefined()
  expect(sqlErrorIn('You have an error in your SQL syntax; check the manual that corresponds to')).toBeDefined()
  expect(sqlErrorIn('<h1>SQL syntax</h1> learn SQL')).toBeUndefined()
})
