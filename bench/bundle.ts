/** What a browser must load before the portal shows: the page's scripts and what they import at once. */
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'

const dist = resolve(import.meta.dirname, '../apps/portal/dist')
const page = await readFile(join(dist, 'index.html'), 'utf8')
const tags = [...page.matchAll(/<(?:script|link)\b[^>]*>/g)].map(([tag]) => tag)
const scripts = tags.filter((tag) => tag.startsWith('<script') || tag.includes('rel="modulepreload"'))
const paths = scripts.flatMap((tag) => /(?:src|href)="([^"]+\.js)"/.exec(tag)?.[1] ?? [])

let bytes = 0
for (const path of new Set(paths)) bytes += gzipSync(await readFile(join(dist, path)), { level: 9 }).length
const row = { figure: 'first JavaScript of the portal (gzip)', value: bytes / 1000, unit: 'kB', limit: 170 }
console.log(JSON.stringify(row))
