/** Installs dependencies and builds the portal, if something has changed. Plain JavaScript for Node 20. */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { cacheFolder, fail, exitWithNpm, glacis, nodeProgram, root, runProgram } from './node.mjs'

/** Installs, builds, and serves. */
export async function start() {
  exitWithNpm()
  await install({ dev: false })
  await buildPortal()
  // `npm start` downloads feeds by default.
  process.env['GLACIS_FEEDS'] ||= 'on'
  await runProgram(glacis, 'serve')
}

/**
 * Installs the locked dependencies if node_modules doesn't match.
 *
 * @param dev whether to install development dependencies too
 */
export async function install({ dev }) {
  if (nodeProgram() !== null && (await isInstalled(dev))) return
  // Keep development dependencies that are already installed.
  const withTools = dev || existsSync(join(root, 'node_modules/vitest'))
  logProgress(
    withTools ? 'Installing dependencies and development tools …' : 'Installing dependencies (first start only) …',
  )
  const { code, output } = await run(
    ...npm(),
    'ci',
    '--no-audit',
    '--no-fund',
    withTools ? '--include=dev' : '--omit=dev',
  )
  if (code !== 0) {
    const causes = output.split('\n').filter((line) => line.startsWith('npm error') && !line.includes('complete log'))
    fail(`npm could not install the dependencies:\n${causes.join('\n') || output}`)
  }
  if (nodeProgram() === null)
    fail(
      `Node.js 26 isn't available as a package for ${process.platform} on ${process.arch}. Install it and try again.`,
    )
}

/** After each complete installation, npm writes a lock file of the installed packages. */
async function isInstalled(dev) {
  try {
    const locked = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')).packages
    const installed = JSON.parse(await readFile(join(root, 'node_modules/.package-lock.json'), 'utf8')).packages
    return Object.entries(locked).every(([path, entry]) => {
      if (!path.includes('node_modules/') || entry.link) return true
      const other = installed[path]
      if (other) return other.version === entry.version && other.integrity === entry.integrity
      return entry.optional || entry.devOptional || (entry.dev && !dev)
    })
  } catch {
    return false
  }
}

/** The npm that started us, with its own Node, because the installation may replace ours. */
function npm() {
  const { npm_execpath: script, npm_node_execpath: node } = process.env
  return script && /npm-cli\.c?js$/.test(script) ? [node ?? process.execPath, script] : ['npm']
}

/** Builds the portal if its sources have changed since the last build. */
export async function buildPortal() {
  const portal = join(root, 'apps/portal')
  const stamp = join(cacheFolder, 'portal.sha256')
  const current = await hashOf([portal, join(root, 'packages/contract/src'), join(root, 'package-lock.json')])
  const built = existsSync(join(portal, 'dist/index.html')) && (await readFile(stamp, 'utf8').catch(() => ''))
  if (built === current) return
  logProgress('Building the portal …')
  // Build in a temporary folder, so that a running server never serves an incomplete portal.
  const newFolder = join(portal, `.glacis-build-${process.pid}`)
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  const { code, output } = await run(nodeProgram(), vite, 'build', portal, '--outDir', newFolder, '--logLevel', 'warn')
  if (code !== 0) {
    await rm(newFolder, { recursive: true, force: true })
    fail(`Vite could not build the portal:\n${output}`)
  }
  const previous = join(portal, `.glacis-previous-${process.pid}`)
  await rename(join(portal, 'dist'), previous).catch(() => undefined) // the first build has none
  await rename(newFolder, join(portal, 'dist'))
  await rm(previous, { recursive: true, force: true })
  await mkdir(cacheFolder, { recursive: true })
  await writeFile(stamp, current)
}

/** A hash of the names and contents of all files that can affect the build. */
async function hashOf(paths) {
  const hash = createHash('sha256')
  for (const file of (await Promise.all(paths.map(filesBelow))).flat()) {
    hash.update(`${relative(root, file)}\n`).update(await readFile(file))
  }
  return hash.digest('hex')
}

async function filesBelow(path) {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => null)
  if (!entries) return [path]
  const sources = entries.filter(({ name }) => !/^(dist|node_modules|\..*)$|\.test\.tsx?$/.test(name))
  const names = sources.map(({ name }) => name).sort()
  return (await Promise.all(names.map((name) => filesBelow(join(path, name))))).flat()
}

/** Runs a program without showing its output. Returns the exit code and the output, to report failures. */
export function run(program, ...args) {
  return new Promise((done) => {
    const env = { ...process.env, NO_COLOR: '1' }
    const child = spawn(program, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'], shell: program === 'npm' })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (output += part))
    child.once('error', (error) => done({ code: 1, output: error.message }))
    child.once('close', (code) => done({ code, output: output.trim() }))
  })
}

/** Prints progress to standard error. */
export function logProgress(text) {
  console.error(text)
}
