/** Launches the installed Chromium without network access. */
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const places = [
  process.env['CHROMIUM'],
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  chromium.executablePath(),
]

/** @throws if Chromium isn't installed; `npm test` installs it */
export async function openBrowser(): Promise<Browser> {
  const executablePath = places.find((path) => path && existsSync(path))
  if (!executablePath) throw new Error('Chromium was not found. Install it or set CHROMIUM to its path.')
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run']
  // Pages are short-lived: optimizing their code and collecting their garbage takes longer than it saves.
  const shortLived = '--js-flags=--no-opt --no-maglev --min-semi-space-size=16'
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', shortLived, ...quiet],
  })
}
