/** The browser of the stories: Chromium as the machine has it, without a look at the outside. */
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const places = [
  process.env['CHROMIUM'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  chromium.executablePath(),
]

/** @throws when there is no Chromium; `npm test` installs one */
export async function openBrowser(): Promise<Browser> {
  const executablePath = places.find((path) => path && existsSync(path))
  if (!executablePath) throw new Error('There is no Chromium: install it, or name it in CHROMIUM')
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run']
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--disable-quic', ...quiet] })
}
