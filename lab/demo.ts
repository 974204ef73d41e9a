/**
 * The demo: the product with its own data folder, the lab as its targets, an account with three months of history,
 * and a running scan. Open issues are from real scans of this machine; their dates and the fixed issues are made up.
 */
import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { listIssues, setIssueStatus } from '@glacis/contract/issue'
import { createTag } from '@glacis/contract/tag'
import { createTarget, listTargets } from '@glacis/contract/target'
import { startScan } from '@glacis/contract/scan'
import pg from 'pg'
import { writeHistory } from './history/history.ts'
import { startProduct } from './product.ts'
import { startLab } from './servers.ts'
import { type Person, scanned, type Visitor, visit } from './visitor.ts'

const port = Number(process.env['GLACIS_PORT'] ?? 3000)
const dataFolder = process.env['GLACIS_DATA'] ?? '.glacis-demo'
const person: Person = { email: 'demo@glacis.example', password: 'contour-line-4478', first: 'Nora', last: 'Ammann' }

const scopes = [
  { name: 'Public web', address: '127.77.0.1-127.77.0.3', tag: 'Production' },
  { name: 'Data services', address: '127.77.0.4-127.77.0.7', tag: 'Production' },
  { name: 'Office network', address: '127.77.0.8-127.77.0.13', tag: 'Internal' },
] as const

const lab = await startLab()
const product = await startProduct({
  port,
  dataFolder,
  settings: { GLACIS_LOG_LEVEL: 'warn' },
  echo: (line) => console.log(line),
})
const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stopping.abort())
product.process.once('exit', (code) => void lab.stop().then(() => process.exit(process.exitCode ?? code ?? 1)))

await setUp(visit(product.url), product.dataFolder).catch(async (error: unknown) => {
  console.error('The demo could not be set up:', error)
  process.exitCode = 1
  await product.stop()
  // The exit of the product ends this process.
  await new Promise(() => {})
})
console.log(`Press Ctrl-C to stop the demo. Its data is kept in ${dataFolder}; delete the folder to start over.`)
await new Promise((resolve) => stopping.signal.addEventListener('abort', resolve, { once: true }))
await product.stop()
await lab.stop()

/** Creates the account and its history on the first run, and signs in afterward. Then starts a scan. */
async function setUp(visitor: Visitor, folder: string): Promise<void> {
  const isNew = await visitor.signUp(person, folder).then(
    () => true,
    () => false,
  )
  if (!isNew) await visitor.signIn(person)
  console.log(`Sign in as ${person.email} with the password ${person.password}`)
  if (isNew) await createAccount(visitor, folder)
  const { targets } = await visitor.call(listTargets, {})
  const [newest] = targets
  if (newest) await visitor.call(startScan, { targetId: newest.id })
}

async function createAccount(visitor: Visitor, folder: string): Promise<void> {
  console.log('Scanning the lab. The first results appear while the scan is running …')
  const ids = await addTargets(visitor)
  for (const id of ids) await scanned(visitor, id)
  await triage(visitor)
  for (const weakness of ['env-file', 'sql-dump']) lab.fix('storefront', weakness)
  const [first = ''] = ids
  await scanned(visitor, first)
  const database = new pg.Client(await connectionOf(folder))
  await database.connect()
  try {
    await writeHistory(database, person.email)
  } finally {
    await database.end()
  }
}

async function addTargets(visitor: Visitor): Promise<string[]> {
  const tags = new Map<string, string>()
  const ids: string[] = []
  for (const [color, { name, address, tag }] of scopes.entries()) {
    const id = tags.get(tag) ?? (await visitor.call(createTag, { tag: { name: tag, color } })).tag.id
    tags.set(tag, id)
    const { target } = await visitor.call(createTarget, {
      name,
      address,
      schedule: { period: 'PERIOD_DAILY' },
      tags: [{ id }],
    })
    ids.push(target.id)
  }
  return ids
}

/** Makes decisions: some issues are accepted, and some are resolved too early, which the next scan detects. */
async function triage(visitor: Visitor): Promise<void> {
  const { issues } = await visitor.call(listIssues, { pageSize: 200, orderBy: 'ORDER_BY_OLDEST' })
  const minor = issues.filter(({ threat }) => /MEDIUM|LOW/.test(threat.severity.category))
  const verified = minor.filter(({ verification }) => verification === 'VERIFICATION_VERIFIED')
  for (const { id } of verified.slice(0, 3)) await visitor.call(setIssueStatus, { id, status: 'STATUS_RESOLVED' })
  const terms = [
    { reason: 'REASON_ACCEPTED_RISK', comment: 'The service will be replaced next quarter' },
    { reason: 'REASON_FALSE_POSITIVE', comment: 'Fixed by a backport from the distribution' },
    { reason: 'REASON_MITIGATED', comment: 'Blocked by the web application firewall' },
    { reason: 'REASON_ACCEPTED_RISK', comment: 'Reachable from the management network only' },
  ] as const
  const potential = minor.filter(({ verification }) => verification === 'VERIFICATION_UNVERIFIED')
  for (const [number, { id }] of [...potential.slice(0, 2), ...verified.slice(3, 5)].entries())
    await visitor.call(setIssueStatus, { id, status: 'STATUS_IGNORED', ...terms[number] })
}

/** The database of `DATABASE_URL`, or the embedded one. */
async function connectionOf(folder: string): Promise<pg.ClientConfig> {
  const connectionString = process.env['DATABASE_URL']
  if (connectionString) return { connectionString }
  return { host: join(await realpath(folder), 'run'), user: 'glacis', database: 'glacis' }
}
