/** `npm run e2e [words for vitest]`: the stories in a browser alone. */
import { fail } from './node.mjs'
import { buildPortal, install } from './prepare.mjs'
import { prepareChromium } from './chromium.mjs'
import { conclude, runTests } from './vitest.mjs'

await install({ dev: true })
await buildPortal()
if ((await prepareChromium()) === null) fail('There is no Chromium and none could be installed; name one in CHROMIUM.')
conclude(await runTests(['e2e'], process.argv.slice(2)))
