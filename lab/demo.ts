/**
 * The demo: the product on a data folder of its own, the lab as its targets, an account with a quarter of history, and
 * a running scan. What is open was found by real scans of this machine; when, and what was fixed before, is made up.
 */
import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { listIssues, setIssueStatus } from '@glacis/contract/issue'
import { createTag } from '@glacis/contract/tag'
import { createTarget, listTargets } from '@glacis/contract/target'
import { startScan } from '@glacis/contract/scan'
import pg from 'pg'
import { writeHistory } from './history.ts'
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
const ending = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => ending.abort())
product.process.once('exit', (code) => void lab.stop().then(() => process.exit(code ?? 1)))

await furnish(visit(product.url), product.dataFolder).catch(async (error: unknown) => {
  await product.stop()
  throw error
})
console.log(`Sign in as ${person.email} with the password ${person.password}`)
console.log(`Ctrl-C ends the demo. Its data stays in ${dataFolder}; delete the folder to begin anew.`)
await new Promise((resolve) => ending.signal.addEventListener('abort', resolve, { once: true }))
await product.stop()
await lab.stop()

/** Signs in where the demo has been before; else makes the account and its history. Then a scan runs. */
async function furnish(visitor: Visitor, folder: string): Promise<void> {
  const isNew = await visitor.signUp(person, folder).then(
    () => true,
    () => false,
  )
  if (isNew) await beginAccount(visitor, folder)
  else await visitor.signIn(person)
  const { targets } = await visitor.call(listTargets, {})
  const [newest] = targets
  if (newest) await visitor.call(startScan, { targetId: newest.id })
}

async function beginAccount(visitor: Visitor, folder: string): Promise<void> {
  console.log('Scanning the lab: the first results show while it runs …')
  const ids = await addTargets(visitor)
  for (const id of ids) await scanned(visitor, id)
  await triage(visitor)
  for (const weakness of ['env-file', 'sql-dump']) lab.mend('storefront', weakness)
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

/** What people decided: some risks are accepted, and some were resolved too early, which the next scan notices. */
async function triage(visitor: Visitor): Promise<void> {
  const { issues } = await visitor.call(listIssues, { pageSize: 200, orderBy: 'ORDER_BY_OLDEST' })
  const minor = issues.filter(({ threat }) => /MEDIUM|LOW/.test(threat.severity.category))
  const proven = minor.filter(({ verification }) => verification === 'VERIFICATION_VERIFIED')
  for (const { id } of proven.slice(0, 3)) await visitor.call(setIssueStatus, { id, status: 'STATUS_RESOLVED' })
  const terms = [
    { reason: 'REASON_ACCEPTED_RISK', comment: 'The service is replaced next quarter' },
    { reason: 'REASON_FALSE_POSITIVE', comment: 'Fixed by a backport of the distribution' },
    { reason: 'REASON_MITIGATED', comment: 'Blocked by the web application firewall' },
    { reason: 'REASON_ACCEPTED_RISK', comment: 'Reachable from the management network only' },
  ] as const
  const inferred = minor.filter(({ verification }) => verification === 'VERIFICATION_UNVERIFIED')
  for (const [number, { id }] of [...inferred.slice(0, 2), ...proven.slice(3, 5)].entries())
    await visitor.call(setIssueStatus, { id, status: 'STATUS_IGNORED', ...terms[number] })
}

/** The database of `DATABASE_URL`, or the embedded one. */
async function connectionOf(folder: string): Promise<pg.ClientConfig> {
  const connectionString = process.env['DATABASE_URL']
  if (connectionString) return { connectionString }
  return { host: join(await realpath(folder), 'run'), user: 'glacis', database: 'glacis' }
}
