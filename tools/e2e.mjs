/** `npm run e2e [vitest arguments]`: the browser tests. */
import { prepareChromium } from './chromium.mjs'
import { fail } from './node.mjs'
import { buildPortal, install } from './prepare.mjs'
import { runVitest } from './vitest.mjs'

await install({ dev: true })
await buildPortal()
if ((await prepareChromium()) === null)
  fail('No Chromium found, and it could not be installed. Set CHROMIUM to its path.')
process.exit(await runVitest('--project', 'e2e', ...process.argv.slice(2)))
