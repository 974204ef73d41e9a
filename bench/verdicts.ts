/**
 * Compares the verdicts of each template with those of a reference scanner on the same services. The services must be
 * running (see `lab/README.md`); those that don't respond are skipped.
 *
 *     node bench/verdicts.ts [ID…] [--relevant]
 */
import { connect } from 'node:net'
import { join } from 'node:path'
import { loadTemplates } from '../packages/scanner/src/template/plan.ts'
import { cacheFolder, corpusFolder, createExaminer, linesOf, shared, type ServiceAddress } from './lib/engine.ts'
import { explain } from './lib/verdicts-explained.ts'

interface Verdict {
  readonly lab: string
  readonly template: string
  readonly path: string
  readonly matcher?: string
  readonly type: string
  readonly matchedAt: string
}
interface Total {
  readonly lab: string
  readonly run: 'http' | 'net'
  readonly targets: readonly string[]
  readonly cut?: boolean
}

const corpus = corpusFolder()
if (corpus === undefined) {
  console.log('No templates in GLACIS_SHARED. Skipped.')
  process.exit(0)
}
const isExhaustive = !process.argv.includes('--relevant')
const selectedLabs = process.argv.slice(2).filter((item) => !item.startsWith('-'))
const used = new Set(linesOf(join(shared, 'scanner/reference-templates.txt.zst')))
const records = linesOf(join(shared, 'scanner/reference-verdicts.jsonl')).map((line): unknown => JSON.parse(line))
const verdicts = records.filter(
  (item): item is Verdict => typeof item === 'object' && item !== null && 'template' in item,
)
const totals = records.flatMap((item) =>
  typeof item === 'object' && item !== null && '_total' in item ? [item._total as Total] : [],
) // the format of the file
const loaded = await loadTemplates([corpus], cacheFolder)
for (const { path } of verdicts) used.add(path)
const templates = loaded.plan.templates.filter(({ file }) => used.has(file.slice(corpus.length + 1)))
const plan = { templates }
const supportedIds = new Set(templates.map(({ id }) => id))
const examine = await createExaminer(join(import.meta.dirname, '../packs/fingerprints'))
console.log(`${used.size} templates in the reference, ${templates.length} of them run here`)

const sums = { agreed: 0, missed: 0, extra: 0, explained: 0 }
for (const { lab, run, targets, cut } of totals) {
  if (cut === true || (selectedLabs.length > 0 && !selectedLabs.includes(lab))) continue
  const types = run === 'http' ? ['http'] : ['tcp', 'ssl']
  const referenceKeys = new Set(
    verdicts.filter((item) => item.lab === lab && types.includes(item.type) && runOf(item) === run).map(keyOf),
  )
  const ownKeys = new Set<string>()
  const costs: string[] = []
  for (const service of targets.map(serviceAddressOf)) {
    if (!service || !(await isOpen(service))) continue
    const { observations, requests, seconds, cpuSeconds } = await examine(service, plan, isExhaustive)
    costs.push(`${requests} requests, ${cpuSeconds.toFixed(1)} CPU s, ${seconds.toFixed(1)} s`)
    for (const item of observations)
      if (item.kind === 'finding')
        ownKeys.add(
          `${item.check} ${item.location
            .split(' ')
            .slice(1)
            .filter((part) => part !== 'tls')
            .join(' ')}`.trim(),
        )
    for (const item of observations) if (item.kind === 'problem') console.log(`  ${lab}: ${item.message}`)
  }
  if (costs.length === 0) console.log(`${lab} ${run}: not running`)
  else compare(lab, run, referenceKeys, ownKeys, costs)
}
const total = sums.agreed + sums.missed + sums.extra + sums.explained
console.log(
  JSON.stringify({
    figure: 'verdicts that agree with the reference or are explained',
    value: (100 * (sums.agreed + sums.explained)) / total,
    unit: '%',
    least: 99,
    ...sums,
    isExhaustive,
    rssMiB: Math.round(process.memoryUsage().rss / 2 ** 20),
  }),
)

function compare(
  lab: string,
  run: string,
  referenceKeys: ReadonlySet<string>,
  ownKeys: Set<string>,
  costs: readonly string[],
): void {
  // Findings of other protocols on a web service belong to the other run.
  const web = new Set(templates.filter(({ counts }) => counts.http > 0).map(({ id }) => id))
  const ownOfRun = [...ownKeys].filter((key) => web.has(key.split(' ')[0] ?? '') === (run === 'http'))
  const agreed = ownOfRun.filter((key) => referenceKeys.has(key)).length
  const differences = [
    ...[...referenceKeys].filter((key) => !ownKeys.has(key)).map((key) => ['missed', key] as const),
    ...ownOfRun.filter((key) => !referenceKeys.has(key)).map((key) => ['extra', key] as const),
  ]
  sums.agreed += agreed
  console.log(`${lab} ${run}: ${agreed} agreed; ${costs.join('; ')}`)
  for (const [side, key] of differences) {
    const [id = ''] = key.split(' ')
    const reason =
      explain(lab, side, key) ??
      (side === 'missed' && !supportedIds.has(id) ? 'the template is not supported' : undefined)
    if (reason === undefined) sums[side] += 1
    else sums.explained += 1
    console.log(`  ${side} ${key}${reason === undefined ? '' : ` (${reason})`}`)
  }
}

function keyOf({ template, matcher = '' }: Verdict): string {
  return `${template} ${matcher}`.trim()
}

function runOf({ type }: Verdict): string {
  return type === 'http' ? 'http' : 'net'
}

function serviceAddressOf(target: string): ServiceAddress | null {
  const [, scheme, address = '', port] = /^(?:(https?):\/\/)?([\d.]+)(?::(\d+))?/.exec(target) ?? []
  const number = port === undefined ? (scheme === 'https' ? 443 : scheme === 'http' ? 80 : 0) : Number(port)
  return number === 0 ? null : { address, port: number }
}

function isOpen({ address, port }: ServiceAddress): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port, timeout: 2_000 })
    socket.once('connect', () => resolve(true))
    for (const event of ['error', 'timeout']) socket.once(event, () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
