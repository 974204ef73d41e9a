/** `npm run soak [vitest arguments]`: the tests in `soak/*.soak.ts`, which take minutes to hours. */
import { install } from './prepare.mjs'
import { runSoakTests } from './vitest.mjs'

await install({ dev: true })
process.exit(await runSoakTests(...process.argv.slice(2)))
