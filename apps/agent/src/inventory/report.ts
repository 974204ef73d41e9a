/** Reports the inventory of this machine to the server: completely at first, then the changes. */
import { createHash } from 'node:crypto'
import { type InventoryItem, inventoryLimits, reportAgentInventory } from '@glacis/contract/machine'
import { type Client, UnreachableError } from '../client.ts'
import { collectInventory, type Inventory } from './machine.ts'
import { packageStamp } from './packages.ts'

/** How often sockets and containers are compared. Packages are compared whenever their database changes. */
const intervalMs = 3_600_000

export interface InventoryReporter {
  /**
   * Reports changes if an hour has passed, packages have changed, or the server was unreachable.
   *
   * @throws RejectedError, UnreachableError
   */
  reportIfDue(signal: AbortSignal): Promise<void>
}

/** A state that the server has acknowledged. Items are JSON, which is compared and needs little memory. */
interface State {
  readonly digest: string
  readonly items: ReadonlySet<string>
}

export function createInventoryReporter(
  client: Pick<Client, 'call'>,
  collect = collectInventory,
  readStamp = packageStamp,
): InventoryReporter {
  let acknowledged: State | undefined
  let reportedAt = -Infinity
  let stamp = ''
  return {
    async reportIfDue(signal) {
      const currentStamp = await readStamp()
      if (stamp === currentStamp && performance.now() - reportedAt < intervalMs) return
      ;[stamp, reportedAt] = [currentStamp, performance.now()]
      try {
        acknowledged = await report(client, await collect(), acknowledged, signal)
      } catch (error) {
        if (error instanceof UnreachableError) reportedAt = -Infinity
        throw error
      }
    },
  }
}

async function report(
  client: Pick<Client, 'call'>,
  { machine, items }: Inventory,
  acknowledged: State | undefined,
  signal: AbortSignal,
): Promise<State> {
  const current = stateOf(machine, items)
  const send = async (base: string | undefined, removed: readonly string[], added: readonly string[]) => {
    for (const part of partsOf(current.digest, base, removed, added)) {
      const response = await client.call(reportAgentInventory, { ...part, machine }, { signal, withinMs: 60_000 })
      if (response.isFullNeeded) return false
    }
    return true
  }
  // After a restart, the server may still have this state.
  const base = acknowledged ?? current
  const removed = [...base.items].filter((item) => !current.items.has(item))
  const added = [...current.items].filter((item) => !base.items.has(item))
  if (!(await send(base.digest, removed, added))) await send(undefined, [], [...current.items])
  return current
}

function stateOf(machine: Inventory['machine'], items: readonly InventoryItem[]): State {
  const lines = items.map((item) => JSON.stringify(item)).toSorted()
  const hash = createHash('sha256').update(JSON.stringify(machine))
  for (const line of lines) hash.update(`\n${line}`)
  return { digest: hash.digest('hex'), items: new Set(lines) }
}

interface Part {
  readonly base?: string
  readonly digest: string
  readonly isLast: boolean
  readonly removed: InventoryItem[]
  readonly added: InventoryItem[]
}

/** Each part applies to the state that the previous one results in. Items are removed before others are added. */
function* partsOf(
  digest: string,
  base: string | undefined,
  removed: readonly string[],
  added: readonly string[],
): Generator<Part> {
  const size = inventoryLimits.partItemsMax
  const count = Math.max(1, Math.ceil((removed.length + added.length) / size))
  const all = [...removed, ...added]
  for (let part = 0; part < count; part++) {
    const [from, to] = [part * size, (part + 1) * size]
    const before = part === 0 ? base : `${digest}.${part}`
    yield {
      ...(before !== undefined && { base: before }),
      digest: part === count - 1 ? digest : `${digest}.${part + 1}`,
      isLast: part === count - 1,
      removed: itemsOf(all.slice(from, Math.min(to, removed.length))),
      added: itemsOf(all.slice(Math.max(from, removed.length), to)),
    }
  }
}

function itemsOf(lines: readonly string[]): InventoryItem[] {
  return lines.map((line) => JSON.parse(line) as InventoryItem) // written by stateOf
}
