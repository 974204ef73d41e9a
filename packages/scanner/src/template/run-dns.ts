/** Runs the DNS checks of a host with a name, using this machine's resolvers. */
import { isIP } from 'node:net'
import type { Observation } from '@glacis/contract/runner'
import { queryResolver, type DnsResponse, type DnsRecord } from '#net/resolver.ts'
import { toBytes } from '#template/dsl-value.ts'
import { rawEvidence } from '#template/evidence.ts'
import { evaluateOperators, type Match } from '#template/matcher.ts'
import { isSerious } from '#template/finding.ts'
import type { CheckTarget, CheckTools, Finding } from '#template/service-run.ts'
import type { ResponseParts, DnsBlock, Template } from '#template/template.ts'
import { runUnit, Stopped, type Unit, type Units } from '#unit.ts'
import { fillBytes, variablesOf, withRandom, withVariables } from '#template/variables.ts'

/**
 * @param serious receives findings of high and critical severity, which are reported at the end
 * @throws only when the tools' signal aborts
 */
export async function* runDns(
  target: CheckTarget,
  templates: readonly Template[],
  tools: Pick<CheckTools, 'signal' | 'resolvers'> & { readonly units: Units },
  serious: Finding[],
): AsyncIterable<Observation> {
  if (templates.length === 0 || isIP(target.hostname) !== 0 || !target.hostname.includes('.')) return
  const answers = new Map<string, Promise<DnsResponse | undefined>>()
  const finished: string[] = []
  const stopped: { check: string; reason: string }[] = []
  for (const template of templates) {
    let isAnswered = template.counts.http + template.counts.network + template.counts.ssl === 0
    for (const block of template.dns) {
      const answer = await queryOnce(block, template, target, tools, answers)
      if (!answer) isAnswered = false
      const unit = tools.units.of(template.id)
      const found = answer ? unlessStopped(unit, () => findingsOf(template, block, target, answer)) : []
      if (unit.stopReason !== null) {
        isAnswered = false
        stopped.push({ check: template.id, reason: unit.stopReason })
      }
      for (const finding of found) {
        if (isSerious(template.info.severity)) serious.push(finding)
        else yield finding
      }
    }
    if (isAnswered) finished.push(template.id)
  }
  if (finished.length + stopped.length > 0)
    yield { kind: 'coverage', address: target.address, checks: finished, stopped }
}

function unlessStopped(unit: Unit, evaluate: () => Finding[]): Finding[] {
  try {
    return runUnit(unit, evaluate)
  } catch (error) {
    if (error instanceof Stopped) return []
    throw error
  }
}

/** Each query is sent once, no matter how many checks need it. */
async function queryOnce(
  block: DnsBlock,
  template: Template,
  target: CheckTarget,
  { signal, resolvers }: Pick<CheckTools, 'signal' | 'resolvers'>,
  answers: Map<string, Promise<DnsResponse | undefined>>,
): Promise<DnsResponse | undefined> {
  const name = fillBytes(block.name, lookupOf(template, target))
  // Only the target's name and names below it are queried.
  if (name === null || !(name === target.hostname || name.endsWith(`.${target.hostname}`))) return undefined
  const key = `${block.type} ${name}`
  const answer =
    answers.get(key) ?? queryResolver(name, block.type, { signal, ...(resolvers && { servers: resolvers }) })
  answers.set(key, answer)
  return answer
}

function lookupOf(template: Template, { address, hostname }: CheckTarget) {
  const variables = variablesOf({ scheme: 'tcp', hostname, address, port: 53, basePath: '/' })
  return withVariables(
    template.variables,
    withRandom((name) => variables.get(name)),
  )
}

function findingsOf(
  template: Template,
  { operators, type }: DnsBlock,
  target: CheckTarget,
  answer: DnsResponse,
): Finding[] {
  const text = toBytes(textOf(answer))
  const values = partsOf(answer, text)
  const targetLookup = lookupOf(template, target)
  const parts: ResponseParts = { defaultPart: 'raw', get: (name) => values.get(name) ?? targetLookup(name) }
  return evaluateOperators(operators, parts)
    .filter(({ isSilent }) => !isSilent)
    .map((match) => findingOf(template, target, match, `${answer.question.name} IN ${type}`, text))
}

function findingOf(
  { info, claimedQuality }: Template,
  { address }: CheckTarget,
  match: Match,
  query: string,
  text: string,
): Finding {
  return {
    kind: 'finding',
    address,
    check: info.id,
    threat: info.threat,
    location: `dns${match.name === '' ? '' : ` ${match.name}`}`.slice(0, 500),
    quality: claimedQuality ?? 99,
    ...rawEvidence(query, text, match),
  }
}

/** Names used by DNS templates; records by lower-case type. */
function partsOf(answer: DnsResponse, text: string): Map<string, string> {
  const lines = (records: readonly DnsRecord[]) => toBytes(records.map(lineOf).join('\n'))
  const all = [...answer.answer, ...answer.authority, ...answer.additional]
  const byType = Map.groupBy(answer.answer, ({ type }) => type.toLowerCase())
  return new Map([
    ...[...byType].map(([type, records]): [string, string] => [
      type,
      toBytes(records.map(({ value }) => value).join(' ')),
    ]),
    ['raw', text],
    ['response', text],
    ['body', text],
    ['rcode', answer.code],
    ['question', `${answer.question.name}\tIN\t${answer.question.type}`],
    ['answer', lines(answer.answer)],
    ['ns', lines(answer.authority)],
    ['extra', lines(answer.additional)],
    ['all', lines(all)],
  ])
}

/** The response in the format of dig. */
function textOf({ code, question, answer, authority, additional }: DnsResponse): string {
  const sections = [
    ['ANSWER', answer],
    ['AUTHORITY', authority],
    ['ADDITIONAL', additional],
  ] as const
  const written = sections.map(([name, records]) => `;; ${name} SECTION:\n${records.map(lineOf).join('\n')}`)
  return [
    `;; opcode: QUERY, status: ${code}`,
    `;; QUESTION SECTION:\n;${question.name}\tIN\t ${question.type}`,
    ...written,
  ].join('\n\n')
}

function lineOf({ name, ttlSeconds, type, value }: DnsRecord): string {
  return `${name}\t${ttlSeconds}\tIN\t${type}\t${value}`
}
