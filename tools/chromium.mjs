/** Prepares browser tests: dependencies, the portal, and Chromium. Plain JavaScript for Node 20. */
import { spawnSync } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { nodeProgram, root } from './node.mjs'
import { buildPortal, install, logProgress, run } from './prepare.mjs'

/** The headless shell has no windows to manage and takes a fifth less CPU time. */
const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const commonFolders = [
  '/usr/bin',
  '/usr/local/bin',
  '/opt/google/chrome',
  '/Applications/Google Chrome.app/Contents/MacOS',
  '/Applications/Chromium.app/Contents/MacOS',
]
const playwright = join(root, 'node_modules/playwright-core/cli.js')

/**
 * Builds the portal, and finds or installs Chromium. Sets CHROMIUM for child processes.
 *
 * @param installed the installation of the dependencies, which may still run
 * @returns the path of Chromium; null if it could not be installed
 */
export async function prepareBrowserTests(installed = install({ dev: true })) {
  const found = (await find()) ?? (await installWithApt())
  await installed.then(buildPortal)
  const path = found ?? (await installWithPlaywright())
  if (path !== null) process.env['CHROMIUM'] = path
  return path
}

/** @returns the first program that starts; on some systems it is only a stub that suggests installing the package */
async function find() {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...commonFolders]
  const candidates = folders.flatMap((folder) =>
    [...names, 'Chromium', 'Google Chrome'].map((name) => join(folder, name)),
  )
  return [process.env['CHROMIUM'], ...candidates].find((path) => path && starts(path)) ?? null
}

function starts(path) {
  return spawnSync(path, ['--version'], { timeout: 20_000, stdio: 'ignore' }).status === 0
}

async function installWithApt() {
  if (process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).status !== 0) return null
  logProgress('Installing Chromium for the browser tests …')
  await run('apt-get', 'update', '-q')
  const install = ['env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', 'install', '-yq', '--no-install-recommends']
  for (const name of names.slice(0, 2)) {
    await run(...install, name)
    const path = await find()
    if (path !== null) return path
  }
  return null
}

async function installWithPlaywright() {
  logProgress('Installing Chromium for the browser tests …')
  const libraries = process.getuid?.() === 0 ? ['--with-deps'] : []
  const { code, output } = await run(nodeProgram(), playwright, 'install', ...libraries, 'chromium')
  if (code !== 0) logProgress(output)
  const script = `import('playwright-core').then(({ chromium }) => console.log(chromium.executablePath()))`
  const { output: lines } = await run(nodeProgram(), '-e', script)
  const path = lines.split('\n').at(-1)
  return path && starts(path) ? path : null
}
