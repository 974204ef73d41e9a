import { expect, it } from 'vitest'
import { findOnPages } from '#native/testing/examine.ts'

const isFound = async (pages: Readonly<Record<string, string>>) =>
  (await findOnPages(pages)).includes('script-secrets-exposed')

/** Joined, so that no scanner of repositories mistakes it for a key. */
const paymentKey = ['sk', 'live', '51AbCdEfGhIjKlMnOp'].join('_')

it.each([
  ['a script', { '/': '<script src="app.js"></script>', '/app.js': `pay("${paymentKey}")` }],
  ['the page', { '/': `<h1>Shop</h1><script>pay("${paymentKey}")</script>` }],
  [
    'a script, a token of Sentry',
    { '/': '<script src="app.js"></script>', '/app.js': `a("sntrys_${'9f'.repeat(12)}")` },
  ],
  [
    'a script, a setting with a prefix',
    { '/': '<script src="app.js"></script>', '/app.js': 'a={pushSecret:"ps_5f0c77b1a"}' },
  ],
  [
    'a linked page, variables of the process',
    {
      '/': '<a href="/status">Status</a>',
      '/status': '<h1>Status</h1><pre>PATH=/usr/bin\nDB_PASSWORD=Kiel-77-a</pre>',
    },
  ],
  ['a linked page', { '/': '<a href="/pay">Pay</a>', '/pay': `<script>pay("${paymentKey}")</script>` }],
  [
    'a source map',
    {
      '/': '<script src="app.js"></script>',
      '/app.js': 'a()\n//# sourceMappingURL=app.js.map',
      '/app.js.map': JSON.stringify({
        sources: ['src/a.ts'],
        sourcesContent: [`const ADMIN_TOKEN = 'correct-horse-42'`],
      }),
    },
  ],
  ['a comment, a password', { '/': '<h1>Shop</h1><!-- staging login: mara, password: harbor-77 -->' }],
  ['a comment, an account', { '/': '<h1>Shop</h1><!-- remove before release: admin / Harbor2024! -->' }],
  [
    'a connection after an example of one',
    { '/': '<p>mongodb://user:pass@host or mongodb://shop:q7Tulip@db.shop.test</p>' },
  ],
  [
    'a key of an API of its own',
    {
      '/': '<script>const keys = { searchApiKey: "Q7TulipHarborWindowLamp1", erpApiKey: "Q7TulipHarborWindowLamp2" }</script>',
    },
  ],
  [
    'a setting',
    { '/': '<script src="app.js"></script>', '/app.js': 'const settings = { jiraPassword: "q7!Tulip-Harbor" }' },
  ],
])('finds a key in %s', async (_, pages) => {
  expect(await isFound(pages)).toBe(true)
})

it.each([
  ['a publishable key', 'const MAP_TOKEN = "pk.eyJ1IjoiZXhhbXBsZSJ9"; pay("pk_live_51AbCdEfGhIjKlMnOp")'],
  ['names of errors', 'const INVALID_TOKEN = "auth-401-token", EXPIRED_PASSWORD = "auth-402-password"'],
  ['names of actions', 'const SET_TOKEN = "auth2/set-token", USER_RESET_PASSWORD = "auth2/reset"'],
  ['a token of forms', 'const CSRF_TOKEN = "correct-horse-42"'],
  [
    'labels',
    'const labels = { newPassword: "Password2", resetPassword: "/reset-password/2A", oldPassword: "old_password" }',
  ],
  ['the usual value of a library', 'n.DEFAULT_TOKEN="correct-horse-42"'],
  ['an example of variables', '// API_TOKEN=5f0c77b1a'],
  ['a setting with a name', 'a={nextSecret:"secret_question"}'],
  ['a key for browsers', 'init({ googleMapsApiKey: "Q7Tulip.Harbor.Window.Lamp", apiKey: "" })'],
  ['another key for browsers', 'init({ shopApiKey: "phc_Q7TulipHarborWindowLampTree" })'],
  ['a placeholder', 'input.placeholder = "postgres://user:password@localhost:5432/db"'],
  ['an example', 'help("redis://shop:correct-horse@redis.example.com:6379 or mongodb://ann:hunter22@host")'],
  ['a name without a value', 'const ADMIN_TOKEN = localStorage.token'],
])('is silent on %s', async (_, script) => {
  expect(await isFound({ '/': '<script src="app.js"></script>', '/app.js': script })).toBe(false)
})

it.each([
  ['a field', '<input type="password" name="password2">'],
  ['an example', 'password: example-77'],
  ['a path', 'see /admin/v2-beta and admin / v2'],
  ['a rule', 'password: at least 12 signs'],
])('ignores a comment with %s', async (_, comment) => {
  expect(await isFound({ '/': `<h1>Shop</h1><!-- ${comment} -->` })).toBe(false)
})

it('ignores the sources of libraries', async () => {
  const map = { sources: ['node_modules/a.ts'], sourcesContent: [`const ADMIN_TOKEN = 'correct-horse-42'`] }
  const pages = {
    '/': '<script src="app.js"></script>',
    '/app.js': '//# sourceMappingURL=app.js.map',
    '/app.js.map': JSON.stringify(map),
  }
  expect(await isFound(pages)).toBe(false)
})
