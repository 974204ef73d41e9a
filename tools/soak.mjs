/** `npm run soak [vitest arguments]`: the tests in `soak/*.soak.ts`, which take minutes to hours. */
import { install } from './prepare.mjs'
import { runVitest } from './vitest.mjs'

await install({ dev: true })
process.exit(await runVitest('--project=soak', ...process.argv.slice(2)))
