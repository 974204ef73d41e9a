/** `npm run soak [vitest arguments]`: tests that take minutes to hours. */
import { install } from './prepare.mjs'
import { runVitest } from './vitest.mjs'

await install({ dev: true })
process.exit(await runVitest('--project', 'soak', ...process.argv.slice(2)))
