/** `npm run screenshots [folder]`: every screen of the running product as pictures. */
import { prepareChromium } from './chromium.mjs'
import { fail, runProgram } from './node.mjs'
import { buildPortal, install } from './prepare.mjs'

await install({ dev: true })
await buildPortal()
if ((await prepareChromium()) === null) fail('There is no Chromium and none could be installed; name one in CHROMIUM.')
await runProgram('e2e/screenshots.ts', ...process.argv.slice(2))
