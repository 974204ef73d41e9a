/** `npm run screenshots [folder]`: saves screenshots of every screen. */
import { prepareChromium } from './chromium.mjs'
import { fail, runProgram } from './node.mjs'
import { buildPortal, install } from './prepare.mjs'

await install({ dev: true })
await buildPortal()
if ((await prepareChromium()) === null)
  fail('No Chromium found, and it could not be installed. Set CHROMIUM to its path.')
await runProgram('e2e/screenshots.ts', ...process.argv.slice(2))
