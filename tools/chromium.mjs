/** The browser of the stories: one that is there, else one that this machine can install. Node 20. */
import { spawnSync } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { nodeProgram, root } from './node.mjs'
import { run, say } from './prepare.mjs'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const usualPlaces = [
  '/usr/bin',
  '/usr/local/bin',
  '/opt/google/chrome',
  '/Applications/Google Chrome.app/Contents/MacOS',
  '/Applications/Chromium.app/Contents/MacOS',
]
const playwright = join(root, 'node_modules/playwright-core/cli.js')

/** Finds or installs Chromium and names it in CHROMIUM for the processes that we start; null when that fails. */
export async function prepareChromium() {
  const path = (await find()) ?? (await installWithApt()) ?? (await installWithPlaywright())
  if (path !== null) process.env['CHROMIUM'] = path
  return path
}

/** @returns the first one that really starts; on some systems the name is only a hint to install it */
async function find() {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...usualPlaces]
  const places = folders.flatMap((folder) => [...names, 'Chromium', 'Google Chrome'].map((name) => join(folder, name)))
  return [process.env['CHROMIUM'], ...places].find((path) => path && starts(path)) ?? null
}

function starts(path) {
  return spawnSync(path, ['--version'], { timeout: 20_000, stdio: 'ignore' }).status === 0
}

async function installWithApt() {
  if (process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).status !== 0) return null
  say('Installing Chromium for the browser tests …')
  await run('apt-get', 'update', '-q')
  await run('env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', 'install', '-yq', '--no-install-recommends', 'chromium')
  return find()
}

async function installWithPlaywright() {
  say('Installing Chromium for the browser tests …')
  const libraries = process.getuid?.() === 0 ? ['--with-deps'] : []
  const { code, output } = await run(nodeProgram(), playwright, 'install', ...libraries, 'chromium')
  if (code !== 0) say(output)
  const ask = `import('playwright-core').then(({ chromium }) => console.log(chromium.executablePath()))`
  const { output: places } = await run(nodeProgram(), '-e', ask)
  const path = places.split('\n').at(-1)
  return path && starts(path) ? path : null
}
