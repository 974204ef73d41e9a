import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

it('starts without loading what only its use needs', async () => {
  const program = join(import.meta.dirname, 'testing/start-alone.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [program])
  const loaded: string[] = JSON.parse(stdout)
  expect(loaded).toContain('fastify')
  const late = ['@simplewebauthn/server', 'qrcode', 'nodemailer', 'ajv', 'undici']
  expect(loaded.filter((name) => late.includes(name))).toEqual([])
})
