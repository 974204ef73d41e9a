/** `npm run demo`: Glacis with a lab of vulnerable servers on loopback addresses. */
import { exitWithNpm, runProgram } from './node.mjs'
import { buildPortal, install } from './prepare.mjs'

exitWithNpm()
await install({ dev: false })
await buildPortal()
await runProgram('lab/demo.ts')
