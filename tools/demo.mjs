/** `npm run demo`: Glacis with a lab of weak servers on this machine's loopback to look at. */
import { followNpm, runProgram } from './node.mjs'
import { buildPortal, install } from './prepare.mjs'

followNpm()
await install({ dev: false })
await buildPortal()
await runProgram('lab/demo.ts')
