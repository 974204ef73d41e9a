/** `npm run soak [vitest arguments]`: the tests in `soak/*.soak.ts`, which take minutes each. */
import { install } from './prepare.mjs'
import { runVitest } from './vitest.mjs'

await install({ dev: true })
process.env['SOAK'] = '1'
process.exit(await runVitest('--project=soak', ...process.argv.slice(2)))
