/**
 * Packages the agent as a single archive that needs only Node.js: this installation's sources with
 * their types stripped, and the libraries they import.
 */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { join, relative } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { createGzip } from 'node:zlib'
import { pack } from 'tar-stream'
import { z } from 'zod'
import { filesBelow } from '#files-below.ts'

const Manifest = z.looseObject({
  name: z.string(),
  version: z.string(),
  imports: z.record(z.string(), z.string()).optional(),
  exports: z.record(z.string(), z.unknown()).optional(),
  dependencies: z.record(z.string(), z.string()).default({}),
})

const workspaces: Readonly<Record<string, string>> = {
  '@glacis/agent': 'apps/agent',
  '@glacis/contract': 'packages/contract',
  '@glacis/scanner': 'packages/scanner',
}
interface TarEntry {
  /** Path inside the archive, with slashes. */
  readonly name: string
  readonly content: Buffer
}

/** Node.js before 26 can't even parse the agent, so `agent.js` checks the version and then imports the agent. */
const program = `if (Number.parseInt(process.versions.node, 10) < 26) {
  console.error('The agent requires Node.js 26 or later, but %s is version %s. Install it from https://nodejs.org and start the agent with it.', process.execPath, process.versions.node)
  process.exit(78)
}
await import('@glacis/agent')
`

/**
 * Builds the archive (gzipped tar). After unpacking, run `node agent.js`.
 *
 * @param root the project directory
 */
export async function agentArchive(root: string): Promise<Buffer> {
  const entries: TarEntry[] = [
    { name: 'agent.js', content: Buffer.from(program) },
    {
      name: 'package.json',
      content: Buffer.from(JSON.stringify({ name: 'glacis-agent', private: true, type: 'module' })),
    },
    { name: 'install.sh', content: await readFile(new URL('./install.sh', import.meta.url)) },
    { name: 'LICENSE', content: await readFile(join(root, 'LICENSE')) },
  ]
  for (const name of await dependenciesOf(root)) {
    const home = workspaces[name]
    entries.push(...(home ? await ownFiles(root, name, home) : await libraryFiles(root, name)))
  }
  const archive = pack()
  for (const { name, content } of entries) archive.entry({ name, mode: 0o644, mtime: new Date(0) }, content)
  archive.finalize()
  return buffer(archive.pipe(createGzip()))
}

/** The agent's dependencies, transitively, including the agent itself. */
async function dependenciesOf(root: string): Promise<string[]> {
  const visited = new Set<string>()
  const open = ['@glacis/agent']
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (visited.has(name)) continue
    visited.add(name)
    open.push(
      ...Object.keys((await manifestOf(join(root, workspaces[name] ?? join('node_modules', name)))).dependencies),
    )
  }
  return [...visited].toSorted()
}

async function manifestOf(folder: string): Promise<z.infer<typeof Manifest>> {
  return Manifest.parse(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')))
}

async function ownFiles(root: string, name: string, home: string): Promise<TarEntry[]> {
  const folder = join(root, home)
  const { version, dependencies } = await manifestOf(folder)
  const mainExport = existsSync(join(folder, 'src/index.ts')) ? './src/index.js' : './src/main.js'
  const exports = { '.': mainExport, './*': './src/*.js' }
  const manifest = { name, version, type: 'module', imports: { '#*': './src/*' }, exports, dependencies }
  const entries = [{ name: `node_modules/${name}/package.json`, content: Buffer.from(JSON.stringify(manifest)) }]
  for (const path of await filesBelow(join(folder, 'src'))) {
    if (!path.endsWith('.ts') || /\.test\.ts$|[/\\]testing[/\\]/.test(path)) continue
    const inside = relative(folder, path).replaceAll('\\', '/').replace(/\.ts$/, '.js')
    entries.push({ name: `node_modules/${name}/${inside}`, content: Buffer.from(await stripTypes(path)) })
  }
  return entries
}

/** Strips the types and replaces `.ts` in imports with the emitted file names. */
async function stripTypes(path: string): Promise<string> {
  const code = stripTypeScriptTypes(await readFile(path, 'utf8'))
  return code.replaceAll(/\b(from |import\(|import |new URL\()'([#.a-z][^']*)\.ts'/g, "$1'$2.js'")
}

/** A library's runtime files; type declarations, source maps, and documentation are excluded. */
async function libraryFiles(root: string, name: string): Promise<TarEntry[]> {
  const folder = join(root, 'node_modules', name)
  const entries: TarEntry[] = []
  for (const path of await filesBelow(folder)) {
    const inside = relative(folder, path).replaceAll('\\', '/')
    if (!/\.([cm]?js|json|wasm)$|^licen[sc]e/i.test(inside) || /^(src|types|docs|test)\//.test(inside)) continue
    entries.push({ name: `node_modules/${name}/${inside}`, content: await readFile(path) })
  }
  return entries
}
