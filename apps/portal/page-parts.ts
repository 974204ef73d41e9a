/**
 * Which parts of the program a page is made of, for the browser to fetch before the program runs:
 * otherwise each page begins with a second and a third round of requests.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { firstParts, groupsBy, layersOf } from './layers.ts'
import { pages } from './pages.ts'
import { minifySync, type Plugin, type Rolldown } from 'vite'

const source = join(import.meta.dirname, 'src')
const place = '<!-- early.js -->'

/**
 * Writes the table of parts and `early.js` into the page. The first parts are named in it as well and fetched with it;
 * the others `boot.ts` has fetched when the page has been painted.
 */
export function pageParts(): Plugin {
  const early = readFileSync(join(source, 'early.js'), 'utf8')
  let isBuild = false
  let layers: ReturnType<typeof layersOf> = new Map()
  return {
    name: 'page-parts',
    config(_config, { command }) {
      isBuild = command === 'build'
      return { build: { rolldownOptions: { output: { codeSplitting: { groups: groupsBy((id) => layers.get(id)) } } } } }
    },
    buildStart() {
      if (isBuild) this.emitFile({ type: 'asset', name: 'early.js', source: minifySync('early.js', early).code })
    },
    buildEnd() {
      layers = layersOf(this)
    },
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle }) {
        if (!bundle) return html.replace(place, '<script src="/src/early.js"></script>')
        const own = Object.values(bundle).find((file) => file.type === 'asset' && file.names.includes('early.js'))
        if (!own) throw new Error('early.js is not in the build')
        const chunks = new Map(
          Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file]] : [])),
        )
        const start = closure(chunks, ['boot.ts'])
        const program = [...closure(chunks, ['main.tsx'])].filter((name) => !start.has(name))
        const table = JSON.stringify(tableOf(chunks, start, program))
        const scripts = `<script type="application/json" id="page-parts">${table}</script>\n    <script src="/${own.fileName}"></script>`
        return {
          html: html
            .replace(place, scripts)
            .replaceAll('<script type="module"', '<script type="module" fetchpriority="low"'),
          tags: program.filter(isFirst(chunks)).map((name) => ({
            tag: 'link',
            // The style sheet goes first: with it the page is painted, and the program is not run before.
            attrs: { rel: 'modulepreload', fetchpriority: 'low', crossorigin: true, href: `/${name}` },
            injectTo: 'head' as const,
          })),
        }
      },
    },
  }
}

const isFirst = (chunks: Chunks) => (name: string) => firstParts.includes(chunks.get(name)?.name ?? '')

type Chunks = ReadonlyMap<string, Rolldown.OutputChunk>

/** Each file is named once; the program and the pages name theirs by number. */
function tableOf(chunks: Chunks, start: ReadonlySet<string>, program: readonly string[]) {
  const files: string[] = []
  const numberOf = (name: string) => {
    const path = `/${name}`
    return files.includes(path) ? files.indexOf(path) : files.push(path) - 1
  }
  const known = new Set([...start, ...program])
  const every = program.map(numberOf)
  const rows = pages.map(([path, modules, words = null, first = []]) => {
    const wanted = [...closure(chunks, modules)].filter((name) => !known.has(name))
    return [path, wanted.map(numberOf), words, first] as const
  })
  return { files, program: every, pages: rows }
}

/** The files of these modules and everything that they import at once, each after those that it needs. */
function closure(chunks: Chunks, modules: readonly string[]): Set<string> {
  const found = new Set<string>()
  const seen = new Set<string>()
  const add = (name: string) => {
    const chunk = chunks.get(name)
    if (!chunk || seen.has(name)) return
    seen.add(name)
    chunk.imports.forEach(add)
    found.add(name)
  }
  for (const module of modules) {
    const chunk = [...chunks.values()].find(({ moduleIds }) => moduleIds.includes(join(source, module)))
    if (!chunk) throw new Error(`${module} is not in the build; look at the pages in page-parts.ts`)
    add(chunk.fileName)
  }
  return found
}
