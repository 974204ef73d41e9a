/** Installing and building, each only when something has changed. Plain JavaScript for Node 20. */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { cacheFolder, fail, followNpm, glacis, nodeProgram, root, runProgram } from './node.mjs'

/** Installs, builds and serves. */
export async function start() {
  followNpm()
  await install({ dev: false })
  await buildPortal()
  // Whoever starts Glacis so wants it to know the world; whoever sets it, knows better.
  process.env['GLACIS_FEEDS'] ||= 'on'
  await runProgram(glacis, 'serve')
}

/**
 * Installs the locked dependencies unless node_modules holds exactly them.
 *
 * @param dev whether the tools for tests and checks are wanted too
 */
export async function install({ dev }) {
  if (nodeProgram() !== null && (await isInstalled(dev))) return
  // Whoever works on the code keeps the tools when only the product needs something new.
  const withTools = dev || existsSync(join(root, 'node_modules/vitest'))
  say(withTools ? 'Installing the locked dependencies and tools …' : 'Installing the locked dependencies, this once …')
  const { code, output } = await run(
    ...npm(),
    'ci',
    '--no-audit',
    '--no-fund',
    withTools ? '--include=dev' : '--omit=dev',
  )
  if (code !== 0) {
    const causes = output.split('\n').filter((line) => line.startsWith('npm error') && !line.includes('complete log'))
    fail(`The dependencies could not be installed; npm says:\n${causes.join('\n') || output}`)
  }
  if (nodeProgram() === null)
    fail(`No Node 26 is packaged for ${process.platform} on ${process.arch}; install it and try again.`)
}

/** npm keeps, at the end of each whole installation, a lock file of what stands in node_modules. */
async function isInstalled(dev) {
  try {
    const wanted = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')).packages
    const found = JSON.parse(await readFile(join(root, 'node_modules/.package-lock.json'), 'utf8')).packages
    return Object.entries(wanted).every(([path, entry]) => {
      if (!path.includes('node_modules/') || entry.link) return true
      const other = found[path]
      if (other) return other.version === entry.version && other.integrity === entry.integrity
      return entry.optional || entry.devOptional || (entry.dev && !dev)
    })
  } catch {
    return false
  }
}

/** npm as it was called, with the Node it was called with: ours is about to be replaced. */
function npm() {
  const { npm_execpath: script, npm_node_execpath: node } = process.env
  return script && /npm-cli\.c?js$/.test(script) ? [node ?? process.execPath, script] : ['npm']
}

/** Builds the portal unless what it was last built from is what stands there now. */
export async function buildPortal() {
  const portal = join(root, 'apps/portal')
  const stamp = join(cacheFolder, 'portal.sha256')
  const wanted = await hashOf([portal, join(root, 'packages/contract/src'), join(root, 'package-lock.json')])
  const built = existsSync(join(portal, 'dist/index.html')) && (await readFile(stamp, 'utf8').catch(() => ''))
  if (built === wanted) return
  say('Building the portal …')
  // Made aside, so that a running Glacis never shows half a portal.
  const draft = join(portal, `.glacis-build-${process.pid}`)
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  const { code, output } = await run(nodeProgram(), vite, 'build', portal, '--outDir', draft, '--logLevel', 'warn')
  if (code !== 0) {
    await rm(draft, { recursive: true, force: true })
    fail(`The portal could not be built; Vite says:\n${output}`)
  }
  const former = join(portal, `.glacis-former-${process.pid}`)
  await rename(join(portal, 'dist'), former).catch(() => undefined) // there may be none
  await rename(draft, join(portal, 'dist'))
  await rm(former, { recursive: true, force: true })
  await mkdir(cacheFolder, { recursive: true })
  await writeFile(stamp, wanted)
}

/** One hash over the names and contents of everything below these paths that can reach a bundle. */
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
  const wanted = entries.filter(({ name }) => !/^(dist|node_modules|\..*)$|\.test\.tsx?$/.test(name))
  const names = wanted.map(({ name }) => name).sort()
  return (await Promise.all(names.map((name) => filesBelow(join(path, name))))).flat()
}

/** Runs a program quietly and answers its exit code and what it said, which is for the case that it fails. */
export function run(program, ...words) {
  return new Promise((done) => {
    const env = { ...process.env, NO_COLOR: '1' }
    const child = spawn(program, words, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'], shell: program === 'npm' })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (output += part))
    child.once('error', (error) => done({ code: 1, output: error.message }))
    child.once('close', (code) => done({ code, output: output.trim() }))
  })
}

/** For people: progress and explanations go to standard error. */
export function say(text) {
  console.error(text)
}
