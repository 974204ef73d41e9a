/** How the program is cut: what many pages share comes in few files, because a browser asks for six at a time. */
import { join } from 'node:path'
import type { Rolldown } from 'vite'
import { modulesOf } from './pages.ts'

/**
 * What begins; what asks the server; what every page needs; what pages with a form need; the shapes of answers;
 * the frame of the product; what most pages in it need.
 */
const layers = ['boot', 'ground', 'program', 'forms', 'contract', 'shell', 'sheets'] as const
type Layer = (typeof layers)[number]

/**
 * Fetched with the document: as much as a slow line carries while the style sheet, its font and the first answers are
 * on their way. More would keep them back, less would leave the line idle until the first paint.
 */
export const firstParts: readonly string[] = ['react', 'ground-libraries']

/** Before anything is made small; a file that is larger arrives later than two. */
const librariesBytesMax = 900_000
/** Libraries name all that they have in one module; of these only a few pages use anything. */
const rare = /combobox|virtual-core|react-virtual/
/** From so many pages on, what they share is loaded with all of them. */
const pagesMin = 4

/**
 * Says of each module the layer that it belongs to; others stay with their page. A layer holds everything that
 * its modules import, unless an earlier one does, so that no two files wait for each other.
 */
export function layersOf(context: Rolldown.PluginContext): ReadonlyMap<string, Layer> {
  const closure = (modules: readonly string[]) => closureOf(context, modules)
  const open = closure(modulesOf('public'))
  const shell = closure(modulesOf('shell'))
  const pages = modulesOf('page').map((module) => closure([module]))
  const found = new Map<string, Layer>()
  for (const id of closure(['boot.ts'])) found.set(id, 'boot')
  for (const id of closure(['identity/session.ts'])) if (!found.has(id) && !isReact(id)) found.set(id, 'ground')
  for (const id of closure(['main.tsx'])) if (!found.has(id)) found.set(id, 'program')
  for (const id of [...open, ...shell, ...pages.flatMap((ids) => [...ids])]) {
    if (found.has(id) || rare.test(id)) continue
    const users = pages.filter((ids) => ids.has(id)).length
    if (open.has(id) && (users > 1 || shell.has(id))) found.set(id, 'forms')
    else if (shell.has(id)) found.set(id, isContract(id) ? 'contract' : 'shell')
    else if (users >= pagesMin) found.set(id, 'sheets')
  }
  return found
}

/** The groups of the bundler; libraries stand apart from what is ours, since they change more seldom. */
export function groupsBy(layerOf: (id: string) => Layer | undefined) {
  return layers.flatMap((layer, index) => [
    ...(layer === 'program' ? [{ name: 'react', test: isReact, priority: 20 }] : []),
    {
      name: `${layer}-libraries`,
      test: (id: string) => isLibrary(id) && layerOf(id) === layer,
      priority: 10 - index,
      maxSize: librariesBytesMax,
    },
    { name: layer, test: (id: string) => !isLibrary(id) && layerOf(id) === layer, priority: 10 - index },
  ])
}

function isReact(id: string): boolean {
  return /\/node_modules\/(react|react-dom|scheduler)\/|\/lib\/react-root\.ts$/.test(id)
}

function isContract(id: string): boolean {
  return id.includes('/packages/contract/')
}

function isLibrary(id: string): boolean {
  return id.includes('/node_modules/')
}

/** These modules of `src` and everything that they import at once. */
function closureOf(context: Rolldown.PluginContext, modules: readonly string[]): Set<string> {
  const found = new Set<string>()
  const waiting = modules.map((module) => join(import.meta.dirname, 'src', module))
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (found.has(id) || rare.test(id)) continue
    found.add(id)
    waiting.push(...(context.getModuleInfo(id)?.importedIds ?? []))
  }
  return found
}
