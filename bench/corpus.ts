/**
 * How much of the public templates is understood: counts by kind and by what each needs, the reasons of
 * those that are rejected, and how many hit on a server that meets their own conditions.
 *
 *     node bench/corpus.ts [STEP]   (every STEPth template meets such a server; 12 where nothing is said)
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Template } from '../packages/scanner/src/template/template.ts'
import { loadTemplates } from '../packages/scanner/src/template/plan.ts'
import { mirror } from '../packages/scanner/src/template/testing/mirror.ts'
import { corpusFolder } from './lib/engine.ts'

/** Tags of templates that ask about accounts elsewhere, and folders that are not about a target. */
const elsewhere = /^(?:osint|token-spray|credential-stuffing|creds-stuffing|dast|cloud)$/

const corpus = corpusFolder()
if (corpus === undefined) console.log('no corpus below GLACIS_SHARED: nothing to count')
else await count(corpus)

async function count(folder: string): Promise<void> {
  const { plan, rejected } = await loadTemplates([folder])
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.yaml'))
  const scoped = new Set(files.filter((name) => isScoped(name, readFileSync(join(folder, name), 'utf8'))))
  const name = (file: string) => file.slice(folder.length + 1)
  const runnable = plan.templates.filter(({ file }) => scoped.has(name(file)))
  const left = rejected.filter(({ file, feature }) => scoped.has(name(file)) && feature !== 'duplicate id')
  console.log(`${files.length} files: ${plan.templates.length} understood, ${rejected.length} rejected`)
  console.log(`  refused: ${listed(rejected.map(({ feature }) => feature))}`)
  console.log(`${scoped.size} of them ask a target by HTTP: ${runnable.length} run, ${left.length} do not`)
  console.log(`  they need: ${listed(runnable.flatMap(needsOf))}`)
  console.log(`  do not run: ${listed(left.map(({ feature }) => feature))}`)
  for (const { file, reason } of left) console.log(`    ${name(file)}: ${reason}`)
  const unexplained = rejected.filter(({ line, reason }) => line === 0 && reason === '').length
  tell('refused without a reason', unexplained, '', { limit: 0 })
  tell('templates for a target that run', (100 * runnable.length) / (runnable.length + left.length), '%', { least: 98 })
  await meet(runnable)
}

async function meet(runnable: readonly Template[]): Promise<void> {
  const step = Number(process.argv[2] ?? 12)
  const plain = runnable.filter(
    ({ needsCallback, missingValues, isIntrusive, isUnsafe, isBruteForce }) =>
      !needsCallback && missingValues.size === 0 && !isIntrusive && !isUnsafe && !isBruteForce,
  )
  const outcome = await mirror(
    plain.filter((_, at) => at % step === 0),
    '127.66.6.1',
  )
  const { hits, misses, unmade } = outcome
  console.log(
    `of every ${step}th: ${hits.length} hit on an answer made for them, ${misses.length} did not, for ${unmade.length} none could be made`,
  )
  console.log(`  did not: ${misses.join(' ')}`)
  tell('hits on an answer that meets the conditions', (100 * hits.length) / (hits.length + misses.length), '%', {
    least: 99,
  })
  tell('hits on an empty server', outcome.false.length, '', { limit: 0 })
}

function isScoped(name: string, source: string): boolean {
  if (!/^(?:http|requests):/m.test(source) || /^self-contained:\s*true/m.test(source)) return false
  const [, tags = ''] = /^\s+tags:\s*(.*)$/m.exec(source) ?? []
  if (tags.split(',').some((tag) => elsewhere.test(tag.trim()))) return false
  return !/^(?:dast|cloud)\/|^http\/(?:osint|token-spray|credential-stuffing)\//.test(name)
}

/** What a template makes use of, beyond a path and a word. */
function needsOf(template: Template): string[] {
  const { http, flow, isSequence, isIntrusive, needsCallback, missingValues, isUnsafe, variables } = template
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
    'leave to change': isIntrusive,
    'a value from the operator': missingValues.size > 0,
  }
  return [...new Set(kinds), ...Object.entries(flags).flatMap(([flag, isSet]) => (isSet ? [flag] : []))]
}

function listed(names: readonly string[]): string {
  const counts = [...Map.groupBy(names, (one) => one)].map(([one, all]) => [one, all.length] as const)
  return counts
    .toSorted(([, left], [, right]) => right - left)
    .map(([one, number]) => `${one} ${number}`)
    .join(', ')
}

function tell(figure: string, value: number, unit: string, bound: { limit: number } | { least: number }): void {
  console.log(JSON.stringify({ figure, value, unit, ...bound }))
}
