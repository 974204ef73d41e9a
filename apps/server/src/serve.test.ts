import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

it('loads packages that are rarely needed on first use only', async () => {
  const program = join(import.meta.dirname, 'testing/startup-packages.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [program])
  const loaded: string[] = JSON.parse(stdout)
  expect(loaded).toContain('fastify')
  const lazyPackages = ['@simplewebauthn/server', 'qrcode', 'nodemailer', 'ajv', 'undici', '@opentelemetry/sdk-node']
  expect(loaded.filter((name) => lazyPackages.includes(name))).toEqual([])
})
