/** Groups runs into batches that fit into memory and gives each an address. */
import type { Entry } from './entry.ts'
import type { Run } from './start.ts'

const batchMemoryMiB = 3000
const batchRunsMax = 16

/** Programs that listen on all addresses run alone. */
export function batchesOf(entries: readonly Entry[]): readonly (readonly Run[])[] {
  const batches: Run[][] = []
  let memory = Infinity
  for (const entry of entries.filter(({ exclusive }) => !exclusive)) {
    const variants = entry.hardened ? (['weak', 'hardened'] as const) : (['weak'] as const)
    const needed = entry.memory * variants.length
    if (memory + needed > batchMemoryMiB || (batches.at(-1)?.length ?? 0) + variants.length > batchRunsMax) {
      batches.push([])
      memory = 0
    }
    memory += needed
    const batch = batches.at(-1) ?? []
    for (const variant of variants)
      batch.push({ entry, variant, address: `127.84.${batches.length}.${batch.length + 1}` })
  }
  for (const entry of entries.filter(({ exclusive }) => exclusive)) {
    for (const variant of ['weak', 'hardened'] as const) {
      if (entry[variant]) batches.push([{ entry, variant, address: `127.84.${batches.length + 1}.1` }])
    }
  }
  return batches
}
