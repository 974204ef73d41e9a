/** Entry point: loads `.env` and runs one command. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { runCommand } from './cli.ts'

const root = resolve(import.meta.dirname, '../../..')
const settingsFile = join(root, '.env')
if (existsSync(settingsFile)) process.loadEnvFile(settingsFile)
// A reader such as `head` may close its end; the command still has to finish.
for (const output of [process.stdout, process.stderr]) {
  output.on('error', (error) => {
    if (!('code' in error) || error.code !== 'EPIPE') throw error
  })
}
process.exit(await runCommand(process.argv.slice(2), { environment: process.env, root }))
