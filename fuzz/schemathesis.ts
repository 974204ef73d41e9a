/**
 * Runs schemathesis, an independent tester of APIs, against the product. It is installed from PyPI into a temporary
 * folder; without Python, this is skipped.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApiToken } from '@glacis/contract/access'
import { freePort } from '../e2e/ports.ts'
import { startProduct } from '../lab/product.ts'
import { visit } from '../lab/visitor.ts'

const version = '4.32.5'
const environment = join(tmpdir(), 'glacis-fuzz', `schemathesis-${version}`)
const minutes = Number(process.env['FUZZ_MINUTES'] ?? 10)

/** Rules that a schema can't express, such as an agent that replaces itself, reject data that the schema accepts. */
const excludedChecks = 'positive_data_acceptance'
/** A stream that never ends, and calls that lock the user out. */
const excludedPaths = [
  '/v1/events',
  '/v1/workspace/deletion',
  '/v1/workspace/leave',
  '/v1/workspace/sign-in-networks',
  '/v1/workspace/transfer',
  '/v1/installation/sign-in-networks',
  '/v1/installation/accounts/{id}/state',
]
/** Overlong requests are rejected with statuses that schemathesis doesn't count as rejections by default. */
const configuration = `[checks.negative_data_rejection]
expected-statuses = ["400", "401", "403", "404", "405", "406", "409", "413", "414", "415", "422", "428", "429", "431"]
`

if (!install()) {
  console.log('Python 3 or schemathesis is not available. Skipped.')
  process.exit(0)
}
const dataFolder = await mkdtemp(join(tmpdir(), 'glacis-schemathesis-'))
const settings = { GLACIS_LOG_LEVEL: 'error', GLACIS_SCAN_NETWORKS: '127.0.0.0/8' }
const product = await startProduct({ port: await freePort(), dataFolder, settings })
try {
  const visitor = visit(product.url)
  const person = { email: 'nora.ammann@aarewerk.example', password: 'contour-line-4478', first: 'Nora', last: 'Ammann' }
  await visitor.signUp(person, dataFolder)
  await writeFile(join(dataFolder, 'schemathesis.toml'), configuration)
  const { apiToken } = await visitor.call(createApiToken, {
    apiToken: { name: 'Fuzzing', scopes: ['SCOPE_READ', 'SCOPE_SCAN', 'SCOPE_WRITE'] },
  })
  const statuses = [
    run([`--header=Authorization: Bearer ${apiToken.token}`, `--exclude-checks=${excludedChecks}`]),
    // An owner may make more calls. The check for ignored authentication sends the cookie along.
    run([
      `--header=Cookie: ${visitor.cookie()}`,
      `--header=Origin: ${product.url}`,
      `--exclude-checks=${excludedChecks},ignored_auth`,
    ]),
  ]
  process.exitCode = statuses.find((status) => status !== 0) ?? 0
} finally {
  await product.stop()
  await rm(dataFolder, { recursive: true, force: true })
}

function run(args: readonly string[]): number {
  const all = [
    'run',
    `${product.url}/v1/openapi.json`,
    ...args,
    ...excludedPaths.map((path) => `--exclude-path=${path}`),
    `--max-time=${(minutes * 60) / 2}`,
    '--request-timeout=20',
  ]
  return spawnSync(join(environment, 'bin/schemathesis'), all, { stdio: 'inherit', cwd: dataFolder }).status ?? 1
}

function install(): boolean {
  if (existsSync(join(environment, 'bin/schemathesis'))) return true
  const isCreated = spawnSync('python3', ['-m', 'venv', environment]).status === 0
  return isCreated && spawnSync(join(environment, 'bin/pip'), ['install', `schemathesis==${version}`]).status === 0
}
