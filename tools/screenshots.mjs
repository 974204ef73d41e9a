/** `npm run screenshots [folder]`: saves screenshots of every screen. */
import { prepareBrowserTests } from './chromium.mjs'
import { fail, runProgram } from './node.mjs'

if ((await prepareBrowserTests()) === null)
  fail('No Chromium found, and it could not be installed. Set CHROMIUM to its path.')
await runProgram('e2e/screenshots.ts', ...process.argv.slice(2))
