import { describe, expect, it } from 'vitest'
import {
  connectionForm,
  type Judge,
  logPage,
  pageEditor,
  protectedSetup,
  registrationForm,
  setupForm,
  sqlConsole,
} from '#native/web/page-kinds.ts'

const form = (fields: string, label: string, action = '') =>
  `<form method="post" action="${action}">${fields}<button>${label}</button></form>`
const login = '<input name="user"><input type="password" name="password">'
const admin = '<input name="admin_user"><input name="email"><input type="password" name="password">'
const editor = form('<textarea name="content"></textarea>', 'Save')
const query = form('<textarea name="sql"></textarea>', 'Run')
const server = form('<input name="hostname"><input name="username"><input type="password" name="password">', 'Connect')
const log = Array.from({ length: 6 }, (_, line) => `2026-11-26 10:00:0${line} INFO worker started`).join('\n')

const yes: [string, Judge, string, string][] = [
  ['a first administrator', setupForm, '/setup', `<h1>Create administrator account</h1>${form(admin, 'Create')}`],
  [
    'an installer without a password',
    setupForm,
    '/Install.jsp',
    `<h1>Installer</h1>${form('<input name="baseURL"><input name="pageDir"><input name="logDir">', 'Configure')}`,
  ],
  [
    'an application that is not configured yet',
    setupForm,
    '/',
    `<h2>Content Repository Setup</h2><p>Your repository is not properly configured yet.</p>${form('<input name="repository_home">', 'Create')}`,
  ],
  [
    'a database',
    setupForm,
    '/install.php',
    `<title>Installation</title>${form('<input name="db_host"><input name="db_name"><input type="password" name="db_pass">', 'Install')}`,
  ],
  [
    'a setup that needs a token',
    protectedSetup,
    '/setup',
    `<title>Setup :: Shop</title>${form('<input name="token"><input type="hidden" name="csrf">', 'Next')}`,
  ],
  [
    'a setup that needs a password of its own',
    protectedSetup,
    '/setup.php',
    `<h1>Setup</h1>${form('<input type="password" name="setup_password">', 'Log in')}`,
  ],
  ['a registration', registrationForm, '/signup', `<h1>Welcome</h1>${form(`<input name="email">${login}`, 'Sign up')}`],
  [
    'a registration that the script shows',
    registrationForm,
    '/',
    `<script>var newAccount = 'true'; var newAccountPass = parseInt('0')</script>${form(login, 'Create account')}`,
  ],
  [
    'a registration by its address',
    registrationForm,
    '/register',
    `<h1>Register</h1>${form(`<input name="email">${login}`, 'OK')}`,
  ],
  ['an editor', pageEditor, '/wiki/Home?action=edit', editor],
  ['a SQL console', sqlConsole, '/query', `<h1>SQL</h1>${query}`],
  ['an SSH client', connectionForm, '/', `<title>WebSSH</title>${server}`],
  ['a log viewer', logPage, '/logs', `<pre>${log}</pre>`],
]
const no: [string, Judge, string, string][] = [
  ['a login', setupForm, '/login', `<h1>Sign in</h1>${form(login, 'Sign in')}`],
  [
    'a login below a heading about setup',
    setupForm,
    '/',
    `<h1>Setup guide</h1>${form('<input type="password" name="password">', 'Sign in')}`,
  ],
  ['a page about installation', setupForm, '/install', '<h1>Installation</h1><p>Set your admin password</p>'],
  [
    'a setting of a part that is not configured',
    setupForm,
    '/settings',
    `<h1>Setup</h1><p>Email is not configured.</p>${form('<input name="lang">', 'Save')}`,
  ],
  [
    'a search in a page about installation',
    setupForm,
    '/install',
    `<h1>Installation</h1>${form('<input name="q">', 'Search')}`,
  ],
  [
    'a login with a token that sets a password',
    setupForm,
    '/login',
    `<h3>Setup a Password</h3>${form('<input type="password" name="password"><input type="password" name="new_password">', 'Log in and set new password')}`,
  ],
  [
    'a setup that needs a code',
    setupForm,
    '/setup',
    `<h1>Setup</h1>${form(`<input name="setup_token">${admin}`, 'Create')}`,
  ],
  [
    'a setup that first generates a password of its own',
    setupForm,
    '/setup.php',
    `<h1>Setup</h1>${form('<input type="password" name="setup_password"><input type="password" name="setup_password2">', 'Generate')}`,
  ],
  [
    'a form with a hidden token',
    protectedSetup,
    '/setup',
    `<h1>Setup</h1>${form('<input type="hidden" name="token"><input name="q">', 'Search')}`,
  ],
  ['a login with a token', protectedSetup, '/login', `<h1>Setup</h1>${form('<input name="token">', 'Sign in')}`],
  [
    'a login that links a registration',
    registrationForm,
    '/login',
    `<h1>Sign in</h1>${form(login, 'Sign in')}<a href="/register">Register</a>`,
  ],
  [
    'a registration by invitation',
    registrationForm,
    '/register',
    `<h1>Register</h1>${form(`<input name="invite_code">${login}`, 'Register')}`,
  ],
  ['a closed registration', registrationForm, '/register', `<p>Registration is disabled</p>${form(login, 'Register')}`],
  [
    'a registration that the script hides',
    registrationForm,
    '/',
    `<script>var newAccount = 'false'</script>${form(login, 'Create account')}`,
  ],
  ['a newsletter', registrationForm, '/', form('<input name="email">', 'Sign up')],
  ['a comment', pageEditor, '/post/1/edit', form('<textarea name="comment"></textarea>', 'Submit')],
  ['a contact form', pageEditor, '/contact', editor],
  [
    'the source of a protected page',
    pageEditor,
    '/wiki/Home?action=edit',
    form('<textarea name="content" readonly></textarea>', 'Save'),
  ],
  ['an editor behind a login', pageEditor, '/wiki/Home?action=edit', `${editor}${form(login, 'Log in')}`],
  ['a search', sqlConsole, '/search', `<h1>Search</h1>${form('<textarea name="query"></textarea>', 'Go')}`],
  ['a login', connectionForm, '/', `<title>SQL Server Monitor</title>${form(login, 'Sign in')}`],
  [
    'a client for given servers',
    connectionForm,
    '/',
    `<title>WebSSH</title>${server.replace('<input name="hostname">', '<select name="hostname"></select>')}`,
  ],
  ['an article with a log', logPage, '/posts/1', `<h1>Debugging</h1><pre>${log}</pre>`],
  ['a short excerpt', logPage, '/logs', log.slice(0, 80)],
]

describe('page kinds', () => {
  it.each(yes)('recognize %s', (_, kindOf, path, html) => {
    expect(kindOf({ path, html })).toBeDefined()
  })

  it.each(no)('ignore %s', (_, kindOf, path, html) => {
    expect(kindOf({ path, html })).toBeUndefined()
  })

  it('take linear time', () => {
    const html = `${'<form method="post" '.repeat(5000)}${'<input name="a'.repeat(5000)}${'<h1>'.repeat(5000)}${'2026-11-26 10:00:00 '.repeat(5000)}`
    const start = performance.now()
    for (const kindOf of [connectionForm, logPage, pageEditor, registrationForm, setupForm, sqlConsole])
      kindOf({ path: '/logs?action=edit', html })
    expect(performance.now() - start).toBeLessThan(10_000)
  })
})
