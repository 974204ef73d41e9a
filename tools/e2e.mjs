/** `npm run e2e [vitest arguments]`: the browser tests. */
import { prepareBrowserTests } from './chromium.mjs'
import { fail } from './node.mjs'
import { runVitest } from './vitest.mjs'

if ((await prepareBrowserTests()) === null)
  fail('No Chromium found, and it could not be installed. Set CHROMIUM to its path.')
process.exit(await runVitest('--project', 'e2e', ...process.argv.slice(2)))
