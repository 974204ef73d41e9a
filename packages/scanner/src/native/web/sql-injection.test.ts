import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { findOnSite } from '#native/testing/examine.ts'

const links = '<a href="/item?id=2">Chair</a><a href="/find?name=chair">Find</a>'

/** A shop that shows no errors; `rows` runs the statements. */
async function found(rows: (database: DatabaseSync, column: string, value: string) => readonly unknown[]) {
  using database = new DatabaseSync(':memory:')
  database.exec("CREATE TABLE item (id INTEGER, name TEXT); INSERT INTO item VALUES (1, 'table'), (2, 'chair')")
  const result = await findOnSite(({ url = '' }, response) => {
    response.setHeader('connection', 'close')
    response.setHeader('content-type', 'text/html')
    const { pathname, searchParams } = new URL(url, 'http://here.invalid')
    const [entry] = searchParams.entries()
    if (pathname === '/') response.end(links)
    else if (!entry) response.writeHead(404).end()
    else {
      try {
        const items = rows(database, entry[0] === 'id' ? 'id' : 'name', entry[1])
        const text = `${links}<p>${items.length} items for ${entry[1].replaceAll("'", '&#39;').replaceAll('<', '&lt;')}`
        response.end(text)
      } catch {
        response.writeHead(500).end('Something went wrong')
      }
    }
  })
  return result.filter((id) => id.startsWith('sql-'))
}

it.each<[string, (database: DatabaseSync, column: string, value: string) => readonly unknown[]]>([
  [
    'a number',
    (database, column, value) =>
      column === 'id' ? database.prepare(`SELECT * FROM item WHERE id = ${value}`).all() : [],
  ],
  [
    'a text',
    (database, column, value) =>
      column === 'name' ? database.prepare(`SELECT * FROM item WHERE name = '${value}'`).all() : [],
  ],
  [
    'a pattern',
    (database, column, value) =>
      column === 'name' ? database.prepare(`SELECT * FROM item WHERE name LIKE '%${value}%'`).all() : [],
  ],
])('proves a condition in %s', async (_, rows) => {
  expect(await found(rows)).toEqual(['sql-injection-boolean'])
})

it.each<[string, (database: DatabaseSync, column: string, value: string) => readonly unknown[]]>([
  [
    'bound parameters',
    (database, column, value) => database.prepare(`SELECT * FROM item WHERE ${column} = ?`).all(value),
  ],
  ['numbers that are parsed', (_, __, value) => Array.from({ length: Number.parseInt(value, 10) || 0 })],
  ['a search for words', (_, __, value) => ['chair', 'table'].filter((word) => value.split(' ').includes(word))],
  ['content that changes', () => Array.from({ length: Math.floor(Math.random() * 1e6) })],
])('is silent on %s', async (_, rows) => {
  expect(await found(rows)).toEqual([])
})

it('proves an error of SQLite, and markup that only works without quotation marks', async () => {
  using database = new DatabaseSync(':memory:')
  database.exec('CREATE TABLE item (name TEXT)')
  const found = await findOnSite(({ url = '' }, response) => {
    response.setHeader('connection', 'close')
    const { pathname, searchParams } = new URL(url, 'http://here.invalid')
    const value = searchParams.get('q') ?? ''
    if (pathname !== '/' && pathname !== '/find') return void response.writeHead(404).end()
    try {
      database.prepare(`SELECT * FROM item WHERE name LIKE '%${value}%'`).all()
      response.setHeader('content-type', 'text/html')
      response.end(`<form action="/find"><input name="q"></form><b>${value}</b>`)
    } catch (error) {
      response.writeHead(500).end(String(error))
    }
  })
  expect(found).toEqual(expect.arrayContaining(['cross-site-scripting-reflected', 'sql-injection-error']))
})

it('proves an error in the path of a call that a script makes', async () => {
  using database = new DatabaseSync(':memory:')
  database.exec('CREATE TABLE item (id INTEGER)')
  const found = await findOnSite(({ url = '' }, response) => {
    response.setHeader('connection', 'close')
    const [, value] = /^\/api\/items\/([^/]{1,200})$/.exec(url) ?? []
    if (url === '/') return void response.end("<script>fetch('/api/items/' + id)</script>")
    if (value === undefined) return void response.writeHead(404).end()
    try {
      response.end(
        JSON.stringify(database.prepare(`SELECT * FROM item WHERE id = '${decodeURIComponent(value)}'`).all()),
      )
    } catch (error) {
      response.writeHead(500).end(String(error))
    }
  })
  expect(found).toContain('sql-injection-error')
})
