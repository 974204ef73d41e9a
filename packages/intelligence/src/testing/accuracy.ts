/**
 * Measures the matcher's accuracy with public records: on a lab whose vulnerabilities are known, and
 * against an independent expansion of the same version ranges.
 */
import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createZstdDecompress } from 'node:zlib'
import { z } from 'zod'
import { productKey } from '#alias.ts'
import { readDistributionFixes } from '#feed/distribution.ts'
import { parseNvd, readNvd } from '#feed/nvd.ts'
import { readFeed } from '#feed/read.ts'
import { matchProduct, type MatchSubject } from '#match/match.ts'
import { productKeys, type ThreatRecord } from '#threat.ts'
import { parseCpe } from '#wfn-uri.ts'
import { type CpeName, toWfn } from '#wfn.ts'

const Expected = z.object({
  services: z.array(
    z.object({
      id: z.string(),
      cpe: z.string().nullish(),
      version_evidence: z.string().nullish(),
      potential: z
        .object({
          match: z.array(z.string()).default([]),
          fixed_by_debian_backport: z.array(z.string()).default([]),
          must_not: z.array(z.string()).default([]),
        })
        .default({ match: [], fixed_by_debian_backport: [], must_not: [] }),
    }),
  ),
})

const ownThreats = join(import.meta.dirname, '../../../../packs/threats')

/** The records of these CVEs, in order of preference: NVD's if it has criteria, an override, retire.js, our own. */
async function recordsOf(wanted: ReadonlySet<string>, folder: string): Promise<ReadonlyMap<string, ThreatRecord>> {
  const recordsById = new Map<string, ThreatRecord>()
  for (const file of readdirSync(ownThreats)) {
    for await (const item of readNvd(createReadStream(join(ownThreats, file), 'utf8'))) {
      if (item.kind === 'threat' && wanted.has(item.threat.id)) recordsById.set(item.threat.id, item.threat)
    }
  }
  const libraries = createReadStream(join(folder, 'retirejs-jsrepository-v4.json.zst')).pipe(createZstdDecompress())
  for await (const item of readFeed('retire', libraries.setEncoding('utf8'))) {
    if (item.kind === 'threat' && wanted.has(item.threat.id)) recordsById.set(item.threat.id, item.threat)
  }
  const names = [
    'anchore-nvd-overrides-2026-08-21',
    'CVE-1999-2002',
    ...Array.from({ length: 24 }, (_, index) => `CVE-${2003 + index}`),
  ]
  for (const name of names) {
    const path = join(folder, 'nvd', `${name}.jsonl.zst`)
    if (!existsSync(path)) continue
    for await (const line of createInterface({ input: createReadStream(path).pipe(createZstdDecompress()) })) {
      const id = /CVE-\d{4}-\d+/.exec(line)?.[0] ?? ''
      if (!wanted.has(id)) continue
      const { _annotation, cve, ...record } = z
        .looseObject({ _annotation: z.unknown().optional(), cve: z.looseObject({}).optional() })
        .parse(JSON.parse(line))
      const item = parseNvd(_annotation ? { id, ...cve } : record)
      if (item.kind === 'threat' && item.threat.configurations.length > 0) recordsById.set(id, item.threat)
    }
  }
  return recordsById
}

/**
 * Extracts CPE names from an informal list with comments: `cpe:2.3:a:acme:widget:1.0 (presumed);
 * jquery:jquery:1.12.4, …`.
 */
function namesIn(text: string): CpeName[] {
  return text.split(/[,;]\s*/).flatMap((part) => {
    const [bare = ''] = part.replace(/^cpe:2\.3:a:/, '').split(' ')
    const values = bare.split(/(?<!\\):/)
    while (values.length < 10) values.push('*')
    return parseCpe(`cpe:2.3:a:${values.join(':')}`) ?? []
  })
}

/**
 * Matches the lab's services against the records of their known vulnerabilities.
 *
 * @param folder the folder of the public records
 * @returns the number of expected matches; which of them were missed or have no record; the number of
 *   backported fixes that were checked; and the false positives
 */
export async function measureLaboratory(folder: string) {
  const { services } = Expected.parse(JSON.parse(readFileSync(join(folder, 'lab-expected.json'), 'utf8')))
  const backports = JSON.parse(readFileSync(join(folder, 'debian12-backport-facts.json'), 'utf8'))
  const own = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../../../packs/distributions/debian-12.json'), 'utf8'),
  )
  const versions = z
    .record(z.string(), z.looseObject({ version: z.string(), upstream: z.string() }))
    .parse(backports.packages)
  const distributionFixes = readDistributionFixes([own])
  const all = services.flatMap(({ potential }) => [
    ...potential.match,
    ...potential.fixed_by_debian_backport,
    ...potential.must_not,
  ])
  const records = await recordsOf(new Set(all), folder)
  const missed: string[] = []
  const falsePositives: string[] = []
  const withoutRecord: string[] = []
  // Expected matches without a record count too.
  const expected = services.flatMap(({ potential }) => potential.match).length
  let backportChecks = 0
  for (const { id, cpe, potential } of services) {
    const [name, ...more] = namesIn(cpe ?? '')
    if (!name) {
      withoutRecord.push(...potential.match.map((cve) => `${id} ${cve}`))
      continue
    }
    const others = more.map((other): MatchSubject => ({ wfn: toWfn(other), quality: 80 }))
    const plain: MatchSubject = { wfn: toWfn(name), quality: 80 }
    const build = Object.values(versions).find(
      ({ upstream }) => upstream === `${plain.wfn.version}${/^p\d/.test(plain.wfn.update) ? plain.wfn.update : ''}`,
    )
    const verdict = (subject: MatchSubject, cve: string) => {
      const record = records.get(cve)
      return record ? matchProduct(subject, record, [], { distributionFixes }) : null
    }
    for (const cve of potential.match) {
      const answers = [plain, ...others].map((subject) => verdict(subject, cve))
      const result = answers.find((candidate) => candidate?.kind === 'match') ?? answers[0] ?? null
      if (result === null) {
        withoutRecord.push(`${id} ${cve}`)
        continue
      }
      if (result.kind !== 'match') missed.push(`${id} ${cve}: ${result.text}`)
    }
    for (const cve of potential.must_not) if (verdict(plain, cve)?.kind === 'match') falsePositives.push(`${id} ${cve}`)
    if (!build) continue
    const packaged = { ...plain, revision: `Debian-${build.version.replace(/^.*-/, '')}` }
    for (const cve of potential.fixed_by_debian_backport) {
      const result = verdict(packaged, cve)
      if (result === null) continue
      backportChecks += 1
      // With a known fix, it must not match; otherwise the quality must be at most 50.
      if (result.kind === 'match' && result.quality > 50) falsePositives.push(`${id} ${cve}: ${result.quality}`)
    }
  }
  return { expected, missed, withoutRecord, backportChecks, falsePositives }
}

/**
 * Matches products against KEV records. The products were expanded independently from the version
 * ranges of these records.
 *
 * @param folder the folder of the public records
 * @returns the number of comparisons, the products that don't match, and their number by reason
 */
export async function measureExpansion(folder: string) {
  const path = join(folder, 'kev-vulnerable-products-2025-02-09.jsonl.zst')
  const lines = createInterface({ input: createReadStream(path).pipe(createZstdDecompress()) })
  const reference = new Map<string, { products: string[]; modified: string }>()
  for await (const line of lines) {
    const {
      id,
      Modified: modified,
      vulnerable_product: products,
    } = z
      .object({ id: z.string(), Modified: z.string(), vulnerable_product: z.array(z.string()) })
      .parse(JSON.parse(line))
    reference.set(id, { products, modified })
  }
  const records = await recordsOf(new Set(reference.keys()), folder)
  const differing: string[] = []
  const causes = new Map<string, number>()
  let compared = 0
  for (const [id, record] of records) {
    const isUnconditional = record.configurations.every(({ operator }) => operator !== 'AND')
    const keys = new Set(
      record.configurations.flatMap(({ nodes }) =>
        nodes.flatMap(({ cpeMatch }) => cpeMatch.map(({ criteria }) => criteria)),
      ),
    )
    const expanded = reference.get(id)
    // Records modified after the expansion are not comparable.
    const isSame = record.modifyTime <= `${expanded?.modified}.999Z`
    // Products that the record no longer lists are skipped.
    const named: ReadonlySet<string | null> = new Set(productKeys(record))
    for (const text of isUnconditional && isSame ? (expanded?.products ?? []) : []) {
      const name = parseCpe(text)
      // An identical criterion doesn't test ranges, and a name without a version is in no range.
      if (!name || keys.has(text) || /^[*-]$/.test(name.version) || !named.has(productKey(name))) continue
      // Releases of different trains are not comparable, so the matcher returns "unknown" for them.
      if (name.vendor === 'cisco' && /^(?:ios|nx-os)/.test(name.product)) continue
      compared += 1
      const verdict = matchProduct({ wfn: toWfn(name), quality: 80 }, record, [])
      if (verdict.kind === 'match') continue
      differing.push(`${id} ${text}`)
      causes.set(verdict.reason, (causes.get(verdict.reason) ?? 0) + 1)
    }
  }
  return { compared, differing, causes: Object.fromEntries(causes) }
}
