/**
 * The demo: the product on a data folder of its own, the lab as its targets, an account, two
 * finished scans and a running one. Everything shown is found by real scans of this machine.
 */
import { createTarget, listTargets } from '@glacis/contract/target'
import { startScan } from '@glacis/contract/scan'
import { startProduct } from './product.ts'
import { startLab } from './servers.ts'
import { type Person, scanned, type Visitor, visit } from './visitor.ts'

const port = Number(process.env['GLACIS_PORT'] ?? 3000)
const dataFolder = process.env['GLACIS_DATA'] ?? '.glacis-demo'
const person: Person = { email: 'demo@glacis.example', password: 'contour-line-4478', first: 'Nora', last: 'Ammann' }

/** What is scanned first, next, and while the visitor looks round. */
const scopes = [
  ['Public web', '127.77.0.1-127.77.0.3'],
  ['Data services', '127.77.0.4-127.77.0.7'],
  ['Whole lab', '127.77.0.0/28'],
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

await furnish(visit(product.url), product.dataFolder)
console.log(`Sign in as ${person.email} with the password ${person.password}`)
console.log(`Ctrl-C ends the demo. Its data stays in ${dataFolder}; delete the folder to begin anew.`)
await new Promise((resolve) => ending.signal.addEventListener('abort', resolve, { once: true }))
await product.stop()
await lab.stop()

/** Signs in where the demo has been before; else makes the account, its targets and their first scans. */
async function furnish(visitor: Visitor, folder: string): Promise<void> {
  const isNew = await visitor.signUp(person, folder).then(
    () => true,
    () => false,
  )
  if (!isNew) await visitor.signIn(person)
  const { targets } = await visitor.call(listTargets, {})
  const ids = targets.length > 0 ? targets.map((target) => target.id) : await addTargets(visitor)
  console.log('Scanning the lab: the first results show while it runs …')
  for (const id of ids.slice(0, 2)) await scanned(visitor, id)
  const [, , last = ids[0] ?? ''] = ids
  await visitor.call(startScan, { targetId: last })
}

async function addTargets(visitor: Visitor): Promise<string[]> {
  const ids: string[] = []
  for (const [name, address] of scopes) {
    const { target } = await visitor.call(createTarget, {
      name,
      address,
      schedule: { period: 'PERIOD_DAILY' },
      tags: [],
    })
    ids.push(target.id)
  }
  return ids
}
