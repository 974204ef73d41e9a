import { expect, it } from 'vitest'
import { findOnPages } from '#native/testing/examine.ts'

const listing = (folder: string, names: readonly string[]) =>
  `<title>Index of ${folder}</title><h1>Index of ${folder}</h1><a href="../">../</a>${names.map((name) => `<a href="${name}">${name}</a>`).join('\n')}`

const isFound = async (pages: Readonly<Record<string, string>>) =>
  (await findOnPages(pages)).includes('confidential-files-exposed')

const listed = (name: string, content: string) =>
  isFound({ '/': '<h1>Shop</h1>', '/files/': listing('/files/', [name]), [`/files/${name}`]: content })

it.each([
  ['a private key', 'server.key', '-----BEGIN PRIVATE KEY-----\nMIIB'],
  ['settings with a password', 'app.ini', '[database]\npassword = correct-horse\n'],
  ['an environment file with a key', 'shop.env', `key=${['sk', 'live', '51AbCdEfGhIjKlMnOp'].join('_')}\n`],
  ['a database dump', 'shop.sql', '-- MySQL dump 10.13\nCREATE TABLE users'],
  ['statements about users', 'data.sql', "INSERT INTO users VALUES (1, 'erika')\n"],
  ['bank accounts', 'customers.csv', 'id;name;iban\n1;Erika;DE02120300000000202051\n'],
  ['an old table', 'deposits.csv.old', 'tenant;iban\nErika;DE02120300000000202051\n'],
  ['addresses of customers', 'export.csv', 'first_name,last_name,email\nErika,Example,erika@shop.example\n'],
  ['addresses of users', 'users.csv', 'name;email;last4\nerika;erika@shop.example;4242\n'],
  ['users', 'users.json', '[{"name":"erika","email":"erika@shop.example"}]'],
  ['a log with passwords', 'access.log', '10.0.0.1 - - "GET /login?user=ann&password=correct-horse HTTP/1.1" 200'],
  ['values in a file that is named for them', 'deploy-secrets.yaml', 'router:\n  ticket: svc:Ivory-Socket-9931\n'],
  ['a backup', 'site-backup.zip', 'PK\u0003\u0004...'],
])('finds %s in a listed folder', async (_, name, content) => {
  expect(await listed(name, content)).toBe(true)
})

it('finds a file that the query of a link names', async () => {
  const pages = {
    '/': '<h1>Shop</h1><a href="/download?file=customers.csv">Export</a>',
    '/download?file=customers.csv': 'id;name;iban\n1;Erika;DE02120300000000202051\n',
  }
  expect(await isFound(pages)).toBe(true)
})

it.each([
  ['a dump of users', "INSERT INTO users VALUES (1, 'erika')\n", true],
  ['a database', 'SQLite format 3\0', true],
  ['a message', 'The backup starts every night\n', false],
])('evaluates a backup script in robots.txt that returns %s', async (_, content, expected) => {
  const pages = { '/': '<h1>Shop</h1>', '/robots.txt': 'User-agent: *\nDisallow: /admin/backup.php\n' }
  expect(await isFound({ ...pages, '/admin/backup.php': content })).toBe(expected)
})

it.each([
  ['a public certificate', 'server.pem', '-----BEGIN CERTIFICATE-----\nMIIB'],
  ['settings with placeholders', 'app.ini', 'password = ${DB_PASSWORD}\nsecret = changeme\ntoken: <token>\n'],
  ['texts of a user interface', 'de.json', '{"password":"Passwort","token":"Zugriffsschlüssel"}'],
  ['statements about products', 'data.sql', "INSERT INTO chairs VALUES (1, 'oak')\n"],
  ['a table of users without addresses', 'users.csv', 'name;city\nerika;Bern\n'],
  ['references in a file that is named for secrets', 'secrets.yaml', 'ticket: ${TICKET_1}\nurl: https://vault1.test\n'],
  ['prices', 'prices.csv', 'id;name;price\n1;Chair;20\n'],
  ['an example', 'app.example.ini', 'password = correct-horse\n'],
  ['an archive of photos', 'photos.zip', 'PK\u0003\u0004...'],
  ['a page', 'notes.txt', '<!doctype html><p>password: correct-horse'],
])('is silent on %s', async (_, name, content) => {
  expect(await listed(name, content)).toBe(false)
})

it('follows the folders of a listing, and robots.txt', async () => {
  const key = '-----BEGIN PRIVATE KEY-----\nMIIB'
  const folders = { '/': listing('/', ['old/']), '/old/': listing('/old/', ['id_rsa']), '/old/id_rsa': key }
  expect(await isFound(folders)).toBe(true)
  expect(
    await isFound({ '/': '<h1>Shop</h1>', '/robots.txt': 'User-agent: *\nDisallow: /ssl/a.key\n', '/ssl/a.key': key }),
  ).toBe(true)
})
