import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fastify, type FastifyInstance } from 'fastify'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { serveDocuments } from '#http/documents.ts'

let root: string
let app: FastifyInstance
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'glacis-documents-'))
  await mkdir(join(root, 'docs/images'), { recursive: true })
  app = fastify()
})
afterEach(async () => {
  await app.close()
  await rm(root, { recursive: true })
})

const page = async (path: string) => (await app.inject({ url: path })).body

it('shows a document as a page with navigation', async () => {
  await writeFile(
    join(root, 'docs/index.md'),
    '# Glacis\n\nIt *scans*.\n\n## Start `now`\n\n    npm start\n\n## Stop & go\n',
  )
  await writeFile(join(root, 'docs/concepts.md'), '# Terms & status\n\nText\n')
  serveDocuments(app, root)
  const response = await app.inject({ url: '/docs/help' })
  expect(response.headers['content-type']).toBe('text/html; charset=utf-8')
  expect(response.body).toContain('<title>Glacis</title>')
  expect(response.body).toContain('<p>It <em>scans</em>.</p>')
  expect(response.body).toContain(
    '<li><a href="#start-now">Start now</a></li><li><a href="#stop-go">Stop &amp; go</a></li>',
  )
  expect(response.body).toContain('<h2 id="start-now">Start <code>now</code></h2>')
  expect(response.body).toContain('<code>npm start</code>')
  expect(response.body).toContain(
    '<li><a href="/docs/help" aria-current="page">Glacis</a></li><li><a href="/docs/concepts">Terms &amp; status</a></li>',
  )
  expect(await page('/docs/concepts')).toContain('<title>Terms &amp; status · Glacis</title>')
})

it('lists the pages in place of a missing one', async () => {
  await writeFile(join(root, 'docs/concepts.md'), '# Terms\n')
  serveDocuments(app, root)
  const browser = await app.inject({ url: '/docs/concept', headers: { accept: 'text/html,*/*;q=0.8' } })
  expect([browser.statusCode, browser.body]).toEqual([
    404,
    expect.stringContaining('<a href="/docs/concepts">Terms</a>'),
  ])
  const other = await app.inject({ url: '/docs/concept', headers: { accept: 'application/json' } })
  expect([other.statusCode, other.json()]).toEqual([404, expect.objectContaining({ statusCode: 404 })])
})

it('labels the cells of a table with three columns, which phones show below one another', async () => {
  await writeFile(join(root, 'docs/index.md'), '# A\n\n|Name|Default|Meaning|\n|---|---|---|\n|`A`|3|c|\n')
  serveDocuments(app, root)
  expect(await page('/docs/help')).toContain('<td data-label="Default">3</td><td data-label="Meaning">c</td>')
})

it('links only to pages and images that exist', async () => {
  await writeFile(
    join(root, 'docs/index.md'),
    '[identity](identity.md#create) [server](../ARCHITECTURE.md) [us](https://glacis.example) [odd](javascript:alert(1))\n\n![a](images/a.png) ![b](../../b.png)',
  )
  await writeFile(join(root, 'docs/identity.md'), '[kratos](kratos.md) [back](index.md)')
  await writeFile(join(root, 'docs/images/a.png'), 'picture')
  serveDocuments(app, root)
  const help = await page('/docs/help')
  expect(help).toContain(
    '<a href="/docs/identity#create">identity</a> server <a href="https://glacis.example">us</a> odd',
  )
  expect(help).toContain('<img src="/docs/images/a.png" alt="a" loading="lazy">')
  expect(help.match(/<img/g)).toHaveLength(1)
  expect(await page('/docs/images/a.png')).toBe('picture')
  expect(await page('/docs/identity')).toContain('<p>kratos <a href="/docs/help">back</a></p>')
  expect((await app.inject({ url: '/docs/kratos' })).statusCode).toBe(404)
})

it('resolves every link between the documents of the project', async () => {
  serveDocuments(app, join(import.meta.dirname, '../../../..'))
  const paths = [...(await page('/docs/help')).matchAll(/<li><a href="(\/docs\/[\w-]+)"/g)].map(([, path = '']) => path)
  const bodies = new Map(await Promise.all(paths.map(async (path) => [path, await page(path)] as const)))
  const links = [...bodies].flatMap(([path, body]) =>
    [...body.matchAll(/href="(\/docs\/[\w-]+)?#([\w-]+)"/g)].map(([, to = path, id]) => ({ path, to, id })),
  )
  expect(paths.length).toBeGreaterThan(15)
  expect(links.filter(({ to, id }) => !bodies.get(to)?.includes(` id="${id}"`))).toEqual([])
})

it('gives headings with the same text different IDs', async () => {
  await writeFile(join(root, 'CHANGELOG.md'), '# Changes\n\n## 2\n\n### Added\n\n## 1\n\n### Added\n')
  serveDocuments(app, root)
  const releases = await page('/docs/releases')
  expect(releases).toContain('<h3 id="added">')
  expect(releases).toContain('<h3 id="added-2">')
})

it('drops raw HTML and shows plain text verbatim', async () => {
  await writeFile(
    join(root, 'docs/index.md'),
    '# A\n\n<script>alert(1)</script>\n\n| | |\n|---|---|\n| `<b>` | <i>x</i> |\n\n| option | |\n|---|---|\n| a | b |\n',
  )
  await writeFile(join(root, 'LICENSE'), 'Terms *and*\n  <conditions>\n')
  serveDocuments(app, root)
  const help = await page('/docs/help')
  expect(help).not.toContain('<script')
  expect(help.match(/<thead>.*?<\/thead>/g)).toEqual(['<thead><tr><th scope="col">option</th><td></td></tr></thead>'])
  expect(help).toContain('<td><code>&lt;b&gt;</code></td><td>x</td>')
  expect(await page('/docs/licence')).toContain('<code>Terms *and*\n  &lt;conditions&gt;')
})

it('uses the fonts of the built portal, if there is one', async () => {
  serveDocuments(app, root)
  expect(await page('/docs/frame.css')).not.toContain('@font-face')
  const files = join(root, 'apps/portal/dist/files')
  await mkdir(files, { recursive: true })
  for (const name of [
    'geist-latin-wght-normal-a1.woff2',
    'geist-mono-latin-wght-normal-b2.woff2',
    'geist-cyrillic-c3.woff2',
  ])
    await writeFile(join(files, name), '')
  const css = await page('/docs/frame.css')
  expect(css.match(/\/files\/[\w.-]+/g)).toEqual([
    '/files/geist-latin-wght-normal-a1.woff2',
    '/files/geist-mono-latin-wght-normal-b2.woff2',
  ])
})
