/** Pages that web frameworks show to developers: stack traces, settings, and toolbars. */

export interface DebugPage {
  readonly status: number
  readonly headers: readonly (readonly [string, string])[]
  readonly body: string
}

const bodyLengthMax = 512 * 1024

/** All patterns of a sign must match an error page. */
const errorSigns: readonly (readonly RegExp[])[] = [
  // Python
  [
    /Traceback \(most recent call last\):/,
    /\bFile (?:\\?"|&quot;|&#34;|&#x27;)[^"&\n]{1,300}\.py(?:\\?"|&quot;|&#34;|&#x27;), line \d{1,6}, in \w/,
  ],
  [/<title>[^<]{0,300}\/\/ (?:Werkzeug|Quart) Debugger<\/title>/],
  [/\bFile <span class="info">[^<\n]{1,300}\.py<\/span>,\s{1,40}line <span class="info">\d/, /<div class="locals">/],
  [/<title>(?:Litestar exception page|Starlette Debugger)<\/title>/],
  [/You.{1,6}re seeing this error because you have <code>(?:DEBUG = True|web\.config\.debug)<\/code>/],
  [/\bid=sanic\b/, /<div>DEBUG mode<\/div>/],
  [/<title>[^<]{0,300}\/\/ Backlash<\/title>/],
  // Ruby
  [/<title>Action Controller: Exception caught<\/title>/],
  [
    /You're seeing this error because you (?:have\s{1,9}enabled the <code>show_exceptions|use <code>Rack::ShowExceptions)/,
  ],
  [/Sinatra [a-z]{1,6}(?:’|&rsquo;|')t know this ditty/],
  [/better-errors-javascript-not-loaded/],
  // JavaScript
  [/<ul id="stacktrace">\s{0,99}<li>/],
  [/(?:Error|Exception)\b[^<]{0,300}<br>\s{0,9}&nbsp; ?&nbsp; ?at [^<]{1,300}\.[cm]?js:\d{1,6}:\d{1,6}/],
  [/\bclass="[^"]{0,99}error-stack\b|id="error-stack/, /\.[cm]?[jt]s:\d{1,6}/],
  [/"stack"\s?:\s?(?:\[\s{0,20})?"[^"]{0,300}?at [^"]{1,300}\.[cm]?[jt]s:\d{1,6}:\d{1,6}/],
  [/(?:\n|\\n) {2,8}at [^\n<"]{1,300}\.[cm]?[jt]sx?:\d{1,6}:\d{1,6}\)?\s{0,9}(?:\n|\\n) {2,8}at /],
  [/<script id="__bunfallback" type="/],
  // PHP
  [
    /<title>[^<]{0,200}\((?:4|5)\d\d [\w ]{1,40}\)<\/title>/,
    /class="[^"]{0,60}\bexception-(?:message|http|hierarchy|summary)/,
  ],
  [/<title>\s{0,99}(?:Whoops! There was an error\.|🧨[^<]{0,300})/],
  [/\bIlluminate\\\\?(?:Foundation|Routing|Database|View)\\/, /vendor\\?\/laravel\\?\//],
  [/Displayed at [^<]{0,60}PHP: \d/, /CodeIgniter/],
  [/class="(?:cake-error|stack-trace)\b|toggle-vendor-frames/, /Cake(?:PHP)?\b/],
  [/<div class="call-stack">/, /[ \\]yii\\/],
  [/Slim Application Error/, /<h2>Trace<\/h2>/],
  [/id="tracy-bs"/],
  [/#\d{1,3} [^\n<#]{1,300}\.php\(\d{1,6}\): /, /#\d{1,3} \{main\}/],
  // Java
  [/<title>Struts Problem Report<\/title>/],
  [
    /(?:Whitelabel Error Page|"trace"\s?:)/,
    /(?:\b|\\t)at [a-z][\w.$]{3,200}\([A-Z]\w{1,80}\.(?:java|kt|groovy|scala):\d{1,6}\)/,
  ],
  [/<title>Grails (?:Runtime )?Exception<\/title>/],
  [/<h1>Action Not Found<\/h1>/, /Try these|No router defined/],
  [/(?:\n\s{0,9}|\\t|&#9;|<br>\s{0,9})at [a-z][\w.$/]{3,200}\([A-Z]\w{1,80}\.(?:java|kt|groovy|scala):\d{1,6}\)/],
  [/<li>[\w.$/]{3,200}\([A-Z]\w{1,80}\.(?:java|kt|groovy|scala):\d{1,6}\)<\/li>/],
  [/<title>Ring: Stacktrace<\/title>/],
  // Perl
  [/<li class="frame">in [^<\n]{1,300} at [^<\n]{1,300} line \d{1,6}</],
  [/ called at [^\n<]{1,300} line \d{1,6}\s{0,9}\n\s{0,9}[^\n<]{1,1000} called at [^\n<]{1,300} line \d/],
  [/<h1>Software error:<\/h1>/, / at [^\n<]{1,300} line \d{1,6}\./],
  // Others
  [/<title>[^<\n]{1,200} on Catalyst \d[\d._]{0,20}<\/title>/, /\bid="dump_0"/],
  [/<div class="title">Stack<\/div>/, /<tr class="errline">/],
  [/<title>[^<]{0,99}\(development mode\)<\/title>|id="mojobar"|<!-- Mojolicious/],
  [/\bPhoenix\.Router\.NoRouteError at (?:GET|POST)\b/],
  [/<b> ?Stack Trace: ?<\/b>/, /\.NET Framework Version|ASP\.NET Version/],
  [/id="stackpage"/, /\bin [^<\n]{1,300}:line \d|class="frame"/],
  [/(?:\n|\\n) {3}at [\w.<>`+[\], ]{3,300}\([^)\n]{0,500}\) in [^\n<]{1,300}\.(?:cs|fs|vb):line \d/],
  [/\.rb:\d{1,6}:in [`'][^'\n<]{1,200}'[^\n]{0,9}\n[^\n]{0,9}[^\n<:]{1,300}\.rb:\d{1,6}:in [`']/],
  [/\bgoroutine \d{1,9} \[[\w, ]{1,60}\]:/, /\.go:\d{1,6} \+0x[\da-f]{1,8}/],
  [/\bstack traceback:\s{1,9}[^\n<]{1,300}: in (?:function|main chunk|upvalue|local|method|field)\b/],
  [/\((?:elixir|phoenix|plug|[a-z_]{2,40}) \d[\w.-]{1,20}\) [^\n<]{1,200}\.exs?:\d{1,6}: /],
]
/** Error pages of Jetty and Tomcat, which show stack traces in production, too. */
const serverPage =
  /<title>Error \d{3} [^<]{0,1000}<\/title>[\s\S]{0,200}<h2>HTTP ERROR:? \d{3}\b|<title>HTTP Status \d{3} [^<]{0,1000}<\/title>/
/** Toolbars and messages in pages that work. */
const pageSigns: readonly RegExp[] = [
  /<br \/>\s{0,9}<b>(?:Warning|Notice|Deprecated|Fatal error|Parse error)<\/b>: [^<]{1,500} in <b>[^<]{1,300}\.(?:php|inc|phtml)<\/b> on line <b>\d{1,6}<\/b>/,
  /<b>Fatal error<\/b>: {1,4}Uncaught [\s\S]{1,600}? in <b>?[^<\n]{1,300}\.php/,
  /new PhpDebugBar\.DebugBar\(/,
  /<div[^<>]{0,200}\bid="(?:yii-debug-toolbar|tracy-debug-bar|debugbar_loader|flDebug)"/,
  /<script[^<>]{0,200}\bid="debugbar_loader"/,
]
/** Headers that only frameworks in development mode send. */
const headerSigns: readonly RegExp[] = [/^x-debug-token-link$/i, /^x-web-console-(?:mount-point|session-id)$/i]

/** @returns the parts that identify a debug page; undefined for other responses */
export function debugSignsIn({ status, headers, body }: DebugPage): readonly string[] | undefined {
  const text = body.slice(0, bodyLengthMax)
  const header = headers.find(([name]) => headerSigns.some((sign) => sign.test(name)))
  if (header) return [header.join(': ')]
  for (const sign of pageSigns) {
    const [found] = sign.exec(text) ?? []
    if (found !== undefined) return [found.slice(0, 300)]
  }
  if (status < 400 || serverPage.test(text)) return undefined
  for (const signs of errorSigns) {
    const found = signs.map((sign) => sign.exec(text)?.[0].slice(0, 300))
    if (found.every((part) => part !== undefined)) return found
  }
  return undefined
}

/** Database errors caused by an unmatched quotation mark in a statement. */
const sqlErrors: readonly RegExp[] = [
  /You have an error in your SQL syntax; check the manual/,
  /\bSQLSTATE\[(?:42000|42601|HY000)\][^<\n]{0,40}(?:syntax error|General error: 1 )/i,
  /\bSQLite3::SQLException\b[\s\S]{0,3000}?\b(?:unrecognized token: (?:"|&quot;)|near (?:"|&quot;)[^\n]{1,99}: syntax error)/,
  /\bPG::SyntaxError\b/,
  /\bDBD::\w{2,20}::(?:db|st) \w{2,30} failed: [^\n]{0,99}?(?:syntax error|unrecognized token|near |unterminated)/,
  /\b(?:sqlite3\.OperationalError|SQLITE_ERROR|SQLiteException)\b[^<\n]{0,60}(?:unrecognized token|syntax error|near)/,
  /\bOperationalError\b[^<\n]{0,99}<[\s\S]{0,2000}?\b(?:unrecognized token: (?:"|&quot;)|near (?:"|&quot;)[^\n]{1,99}: syntax error)/,
  /\b(?:Sqlite)?Error: (?:near \\?(?:"|&quot;|&#34;)[^\n]{1,99}: syntax error|unrecognized token: \\?(?:"|&quot;|&#34;))/,
  /\bunterminated quoted (?:string|identifier) at or near\b/,
  /\bORA-0(?:0933|1756)\b/,
  /\bUnclosed quotation mark after the character string\b/,
  /\bpg_query\(\): Query failed: ERROR: {1,3}(?:unterminated|syntax error)/,
  /\bsyntax error at or near (?:"|&quot;|\\")/,
  /\b(?:JdbcSQLSyntaxErrorException|SQLSyntaxErrorException)\b/,
]

export function sqlErrorIn(body: string): string | undefined {
  const text = body.slice(0, bodyLengthMax)
  for (const error of sqlErrors) {
    const [found] = error.exec(text) ?? []
    if (found !== undefined) return found
  }
  return undefined
}
