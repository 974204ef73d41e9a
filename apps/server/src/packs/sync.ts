import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { productKeys, readNvd, severityOf, type ThreatRecord } from '@glacis/intelligence'
import { type CheckInfo, loadPacks } from '@glacis/scanner'
import type { Log } from '#ctx.ts'
import type { Tables } from '#database/tables.ts'
import type { PackFolders } from '#packs/folders.ts'
import { splitKey, type ThreatDraft, upsertThreats } from '#threats.ts'
import type { Kysely } from 'kysely'

/** What the name of a product may be at most, so that a bad record cannot break the index. */
const nameLengthMax = 500

/**
 * Brings the database in line with the packs. A pack whose files are as they were is not opened,
 * so that a start costs nothing; a bad file is skipped, counted, and never stands in the way.
 */
export async function syncPacks(owner: Kysely<Tables>, folders: PackFolders, log: Log): Promise<void> {
  await syncPack(owner, log, 'Checks and fingerprints', [...folders.checks, ...folders.fingerprints], async () => {
    const packs = await loadPacks(folders)
    for (const { file, reason } of packs.problems.slice(0, 20)) log.warn({ file, reason }, 'a pack file was refused')
    await upsertThreats(owner, distinct(packs.checks.map(fromCheck)))
    return { records: packs.counts.checks + packs.counts.fingerprints, skipped: packs.problems.length }
  })
  await syncPack(owner, log, 'Threat records', folders.threats, () => readThreats(owner, folders.threats, log))
}

interface Outcome {
  readonly records: number
  readonly skipped: number
}

async function syncPack(
  owner: Kysely<Tables>,
  log: Log,
  name: string,
  paths: readonly string[],
  read: () => Promise<Outcome>,
): Promise<void> {
  const version = await digestOf(paths)
  const known = await owner.selectFrom('pack').select(['version', 'state']).where('name', '=', name).executeTakeFirst()
  if (known?.version === version && known.state === 'STATE_READY') return
  const { records, skipped } = await read()
  const row = { version, records, skipped, state: records > 0 ? 'STATE_READY' : 'STATE_EMPTY', updated_at: new Date() }
  await owner
    .insertInto('pack')
    .values({ name, ...row })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
    .execute()
  log.info({ pack: name, records, skipped }, 'pack loaded')
}

/** Changes with the name, size or time of any file below these paths. */
async function digestOf(paths: readonly string[]): Promise<string> {
  const hash = createHash('sha256')
  for (const path of paths) {
    for (const file of (await filesBelow(path)).toSorted()) {
      const { size, mtimeMs } = await stat(file)
      hash.update(`${file}\0${size}\0${mtimeMs}\n`)
    }
  }
  return hash.digest('hex').slice(0, 16)
}

async function filesBelow(path: string): Promise<string[]> {
  try {
    if (!(await stat(path)).isDirectory()) return [path]
    const entries = await readdir(path, { recursive: true, withFileTypes: true })
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  } catch {
    return []
  }
}

async function readThreats(owner: Kysely<Tables>, files: readonly string[], log: Log): Promise<Outcome> {
  let [records, skipped] = [0, 0]
  for (const file of files) {
    const drafts: ThreatDraft[] = []
    for await (const item of readNvd(createReadStream(file, 'utf8'))) {
      if (item.kind === 'threat') drafts.push(fromRecord(item.threat))
      else skipped += 1
    }
    await upsertThreats(owner, distinct(drafts))
    records += drafts.length
  }
  if (skipped > 0) log.warn({ skipped }, 'threat records were skipped')
  return { records, skipped }
}

function distinct(drafts: readonly ThreatDraft[]): ThreatDraft[] {
  return [...new Map(drafts.map((draft) => [draft.key, draft])).values()]
}

function fromCheck(check: CheckInfo): ThreatDraft {
  const rated = check.cvss ? severityOf(check.cvss) : null
  return {
    key: check.threat,
    kind: 'check',
    name: check.name,
    summary: check.summary,
    impact: check.impact,
    affected: '',
    insight: '',
    severity: rated ?? { cvss: '', ...byWord(check.severity, check.score) },
    solution: { kind: check.remediation ? 'KIND_MITIGATION' : 'KIND_UNSPECIFIED', description: check.remediation },
    references: [...check.cves.map((cve) => ({ cve })), ...check.references.map((url) => ({ url }))],
    knownExploitedAt: null,
    epss: null,
    record: null,
    products: [],
  }
}

const words = {
  critical: { score: 9.5, category: 'CATEGORY_CRITICAL' },
  high: { score: 7.5, category: 'CATEGORY_HIGH' },
  medium: { score: 5.5, category: 'CATEGORY_MEDIUM' },
  low: { score: 2.5, category: 'CATEGORY_LOW' },
} as const

/** Where a check gives no vector, its word stands for the middle of its band. */
function byWord(word: string, score: number | null) {
  const band = Object.entries(words).find(([name]) => name === word)?.[1]
  if (!band) return { score: score ?? 0, category: 'CATEGORY_NONE' as const }
  return { score: score ?? band.score, category: band.category }
}

function fromRecord(threat: ThreatRecord): ThreatDraft {
  const { severity, solution, epss, knownExploited } = threat
  return {
    key: threat.id,
    kind: 'cve',
    name: threat.name,
    summary: threat.summary,
    impact: threat.impact,
    affected: threat.affected,
    insight: threat.insight,
    severity,
    solution: solution ?? { kind: 'KIND_UNSPECIFIED', description: '' },
    references: [{ cve: threat.id }, ...threat.references.filter((one) => !('cve' in one) || one.cve !== threat.id)],
    knownExploitedAt: knownExploited ? new Date(knownExploited.addTime) : null,
    epss: epss ?? null,
    record: threat,
    products: productKeys(threat)
      .filter((key) => key.length <= nameLengthMax)
      .map(splitKey),
  }
}
