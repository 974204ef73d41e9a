/**
 * Measures how many of the public nuclei templates are supported: counts by kind and required feature, the reasons
 * for rejected ones, and how many match on a server that satisfies their own conditions.
 *
 *     node bench/corpus.ts [STEP]   (tries every STEPth template on such a server; default 12)
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Template } from '../packages/scanner/src/template/template.ts'
import { loadTemplates } from '../packages/scanner/src/template/plan.ts'
import { mirror } from '../packages/scanner/src/template/testing/mirror.ts'
import { corpusFolder } from './lib/engine.ts'

/** Tags and folders of templates that are not about the scanned target. */
const outOfScope = /^(?:osint|token-spray|credential-stuffing|creds-stuffing|dast|cloud)$/

const corpus = corpusFolder()
if (corpus === undefined) console.log('No templates in GLACIS_SHARED. Skipped.')
else await count(corpus)

async function count(folder: string): Promise<void> {
  const { plan, rejected } = await loadTemplates([folder])
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.yaml'))
  const scoped = new Set(files.filter((name) => isScoped(name, readFileSync(join(folder, name), 'utf8'))))
  const name = (file: string) => file.slice(folder.length + 1)
  const runnable = plan.templates.filter(({ file }) => scoped.has(name(file)))
  const unsupported = rejected.filter(({ file, feature }) => scoped.has(name(file)) && feature !== 'duplicate id')
  console.log(`${files.length} files: ${plan.templates.length} supported, ${rejected.length} rejected`)
  console.log(`  rejected: ${countedList(rejected.map(({ feature }) => feature))}`)
  console.log(
    `${scoped.size} of them send HTTP requests to a target: ${runnable.length} run, ${unsupported.length} don't`,
  )
  console.log(`  features used: ${countedList(runnable.flatMap(needsOf))}`)
  console.log(`  unsupported features: ${countedList(unsupported.map(({ feature }) => feature))}`)
  for (const { file, reason } of unsupported) console.log(`    ${name(file)}: ${reason}`)
  const unexplained = rejected.filter(({ line, reason }) => line === 0 && reason === '').length
  report('rejected without a reason', unexplained, '', { limit: 0 })
  report('supported templates', (100 * runnable.length) / (runnable.length + unsupported.length), '%', { least: 98 })
  await matchMirrored(runnable)
}

async function matchMirrored(runnable: readonly Template[]): Promise<void> {
  const step = Number(process.argv[2] ?? 12)
  const candidates = runnable.filter(
    ({ needsCallback, missingValues, permission, isUnsafe }) =>
      !needsCallback && missingValues.size === 0 && permission === null && !isUnsafe,
  )
  const outcome = await mirror(
    candidates.filter((_, at) => at % step === 0),
    '127.66.6.1',
  )
  const { hits, misses, unmade } = outcome
  console.log(
    `of every ${step}th: ${hits.length} match a response built for them, ${misses.length} don't, and no response could be built for ${unmade.length}`,
  )
  console.log(`  no match: ${misses.join(' ')}`)
  report(
    'matches on a response that satisfies the conditions',
    (100 * hits.length) / (hits.length + misses.length),
    '%',
    {
      least: 99,
    },
  )
  report('matches on an empty server', outcome.false.length, '', { limit: 0 })
}

function isScoped(name: string, source: string): boolean {
  if (!/^(?:http|requests):/m.test(source) || /^self-contained:\s*true/m.test(source)) return false
  const [, tags = ''] = /^\s+tags:\s*(.*)$/m.exec(source) ?? []
  if (tags.split(',').some((tag) => outOfScope.test(tag.trim()))) return false
  return !/^(?:dast|cloud)\/|^http\/(?:osint|token-spray|credential-stuffing)\//.test(name)
}

/** The features that a template uses, beyond a path and a word matcher. */
function needsOf(template: Template): string[] {
  const { http, flow, isSequence, permission, needsCallback, missingValues, isUnsafe, variables } = template
  const operators = http.map((block) => block.operators)
  const kinds = operators.flatMap(({ matchers, extractors }) => [
    ...matchers.map(({ type }) => `matcher ${type}`),
    ...extractors.map(({ type }) => `extractor ${type}`),
  ])
  const flags = {
    raw: http.some(({ raws }) => raws.length > 0),
    payloads: http.some(({ payloads }) => payloads !== null),
    flow: flow !== null,
    sequence: isSequence,
    variables: variables.size > 0,
    callback: needsCallback,
    unsafe: isUnsafe,
    intrusive: permission !== null,
    'operator-supplied value': missingValues.size > 0,
  }
  return [...new Set(kinds), ...Object.entries(flags).flatMap(([flag, isSet]) => (isSet ? [flag] : []))]
}

function countedList(names: readonly string[]): string {
  const counts = [...Map.groupBy(names, (item) => item)].map(([name, all]) => [name, all.length] as const)
  return counts
    .toSorted(([, left], [, right]) => right - left)
    .map(([name, number]) => `${name} ${number}`)
    .join(', ')
}

function report(figure: string, value: number, unit: string, bound: { limit: number } | { least: number }): void {
  console.log(JSON.stringify({ figure, value, unit, ...bound }))
}
