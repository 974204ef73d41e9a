/**
 * Which parts of the program a page is made of, for the browser to fetch before the program runs:
 * otherwise each page begins with a second and a third round of requests.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { groupsBy, layersOf } from './layers.ts'
import { pages } from './pages.ts'
import { minifySync, type Plugin, type Rolldown } from 'vite'

const source = join(import.meta.dirname, 'src')
const place = '<!-- early.js -->'

/** Writes the table of parts and `early.js` into the page, and lets the browser fetch the program at once. */
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
        const isStart = (name: string) => html.includes(`src="/${name}"`)
        const program = [...closure(chunks, ['main.tsx'])].filter((name) => !isStart(name))
        const table = JSON.stringify(tableOf(chunks, new Set(program)))
        const scripts = `<script type="application/json" id="page-parts">${table}</script>\n    <script src="/${own.fileName}"></script>`
        return {
          html: html
            .replace(place, scripts)
            .replaceAll('<script type="module"', '<script type="module" fetchpriority="low"'),
          tags: program.map((name) => ({
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

type Chunks = ReadonlyMap<string, Rolldown.OutputChunk>

/** Each file is named once; the pages name theirs by number. */
function tableOf(chunks: Chunks, program: ReadonlySet<string>) {
  const files: string[] = []
  const numberOf = (name: string) => {
    const path = `/${name}`
    return files.includes(path) ? files.indexOf(path) : files.push(path) - 1
  }
  const rows = pages.map(([path, modules, words = null, first = []]) => {
    const wanted = [...closure(chunks, modules)].filter((name) => !program.has(name))
    return [path, wanted.map(numberOf), words, first] as const
  })
  return { files, pages: rows }
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
