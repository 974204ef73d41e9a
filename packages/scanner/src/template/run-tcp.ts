/** Runs the TCP and TLS checks of one service. */
import { rejectsPlaintext } from '#native/starttls.ts'
import { toBytes, type Lookup } from '#template/dsl-value.ts'
import { rawEvidence, type Evidence } from '#template/evidence.ts'
import { mergeConcurrently } from '#template/merge-concurrently.ts'
import { evaluateOperators, type Match } from '#template/matcher.ts'
import { payloadLimits, payloadSets } from '#template/payloads.ts'
import { sendNetworkBlock, appliesToService, type NetworkReading } from '#template/network.ts'
import { prepare } from '#template/plan.ts'
import { tcpCommand } from '#template/reproduce.ts'
import type { ServiceEvent, ServiceRun } from '#template/service-run.ts'
import { probeTls, tlsParts, tlsFacts, type TlsReading } from '#template/ssl.ts'
import type { NetworkBlock, SslBlock, Template } from '#template/template.ts'
import { variablesOf, withRandom, withVariables } from '#template/variables.ts'
import { spendRequest, Stopped, tooManyLogins, tooManyRequests } from '#unit.ts'

/** nuclei's default. */
const checksAtOnceMax = 25
/** Ports of web servers and DNS, where nuclei doesn't try checks for other services. */
const portsExcluded: ReadonlySet<number> = new Set([80, 443, 8080, 8443, 8081, 53])

/** Number of consecutive unanswered checks after which the others are skipped. */
const ignoredMax = 2

/** Whether a service still answers. */
interface Health {
  ignoredInARow: number
}

/**
 * Runs the checks for this service one at a time, until it ignores several although its protocol is known. On a port that
 * the user specifies, the checks for other services follow concurrently, because most of them get no answer.
 *
 * @throws only when the run's signal aborts
 */
export async function* runNetwork(run: ServiceRun): AsyncIterable<ServiceEvent> {
  const { network } = prepare(run.plan, run.permissions)
  const isOwnBlock = (template: Template, block: NetworkBlock) => appliesToService(template, block, run.service)
  const isOwn = (template: Template) => template.network.some((block) => isOwnBlock(template, block))
  const isAnyTried = run.tools.isExhaustive === true && !portsExcluded.has(run.service.port)
  const health: Health = { ignoredInARow: 0 }
  // An unidentified service may only answer the right one.
  const isSilent = () => run.service.protocol !== '' && health.ignoredInARow >= ignoredMax
  for (const template of network.filter(isOwn)) {
    if (isSilent()) yield { kind: 'ended', isFinished: false, check: template.id }
    else
      yield* runBlocks(
        run,
        template,
        isAnyTried ? template.network : template.network.filter((block) => isOwnBlock(template, block)),
        health,
      )
  }
  if (isSilent()) yield { kind: 'problem', message: "greets clients but doesn't answer them" }
  if (!isAnyTried) return
  const others = network.filter((template) => !isOwn(template))
  yield* mergeConcurrently(others, checksAtOnceMax, run.signal, (template, signal) =>
    runBlocks({ ...run, signal }, template, template.network, { ignoredInARow: 0 }),
  )
}

function runBlocks(
  run: ServiceRun,
  template: Template,
  blocks: readonly NetworkBlock[],
  health: Health,
): AsyncIterable<ServiceEvent> {
  return withStopReason(template, async function* () {
    let isAnswered = true
    for (const block of blocks) isAnswered = (yield* runNetworkBlock(run, template, block, health)) && isAnswered
    return isAnswered
  })
}

/** Reports how the check ended: every block answered, or a budget spent. */
async function* withStopReason(
  { id }: Template,
  runBlocks: () => AsyncGenerator<ServiceEvent, boolean, undefined>,
): AsyncIterable<ServiceEvent> {
  try {
    const isFinished = yield* runBlocks()
    yield { kind: 'ended', isFinished, check: id }
  } catch (error) {
    if (!(error instanceof Stopped)) throw error
    yield { kind: 'ended', isFinished: false, check: id, stopReason: error.message }
  }
}

async function* runNetworkBlock(run: ServiceRun, template: Template, block: NetworkBlock, health: Health) {
  const { credentials, requestsPerCheck } = payloadLimits(run.tools)
  if (!block.payloads) return yield* runExchange(run, template, block, new Map(), health)
  let left = template.isBruteForce ? credentials : requestsPerCheck
  let isAnswered = true
  for (const set of payloadSets(block.payloads)) {
    if (left-- <= 0 || run.allowance.payloadRequests-- <= 0)
      throw new Stopped(template.isBruteForce && left < 0 ? tooManyLogins(credentials) : tooManyRequests)
    isAnswered = (yield* runExchange(run, template, block, set, health)) && isAnswered
  }
  return isAnswered
}

async function* runExchange(
  run: ServiceRun,
  template: Template,
  block: NetworkBlock,
  payload: ReadonlyMap<string, string>,
  health: Health,
): AsyncGenerator<ServiceEvent, boolean, undefined> {
  const { tools, origin, signal } = run
  spendRequest(run.units.of(template.id))
  await tools.budget.take(origin.address, signal)
  const targetLookup = lookupOf(run, template)
  const lookup: typeof targetLookup = (name) => {
    const value = payload.get(name)
    return value === undefined ? targetLookup(name) : toBytes(value)
  }
  const isSilent = !tools.isExhaustive && run.service.protocol === '' && run.service.banner === ''
  const options = { guard: tools.guard, signal, isSilent }
  const plain = await sendNetworkBlock(block, origin, lookup, options)
  const reading = rejectsUnencrypted(run, template, plain)
    ? await sendInsideTls(run, block, lookup, options, plain)
    : plain
  if (reading.kind === 'inconclusive') return false
  health.ignoredInARow = reading.isIgnored ? health.ignoredInARow + 1 : 0
  for (const match of evaluateOperators(block.operators, reading.answer, run.units.of(template.id))) {
    const evidence = rawEvidence(reading.request, reading.received.toString('latin1'), match)
    const command = template.permission === null ? tcpCommand(origin, reading.request) : null
    yield found(run, template, match, { ...evidence, ...(command !== null && { reproduce: command }) }, '')
  }
  return true
}

/** Checks of plaintext connections are pointless inside TLS. */
function rejectsUnencrypted({ service, origin }: ServiceRun, { info }: Template, reading: NetworkReading): boolean {
  if (origin.tls || info.tags.includes('cleartext')) return false
  // A server that expects TLS after its greeting may reset the connection before the greeting is read.
  const response = reading.kind === 'inconclusive' ? Buffer.from(service.banner) : reading.received
  return rejectsPlaintext(service.protocol, response)
}

/** Repeats the requests after STARTTLS. */
async function sendInsideTls(
  { service, origin, tools, signal }: ServiceRun,
  block: NetworkBlock,
  lookup: Lookup,
  options: Parameters<typeof sendNetworkBlock>[3],
  plain: NetworkReading,
): Promise<NetworkReading> {
  await tools.budget.take(origin.address, signal)
  const inside = await sendNetworkBlock(block, origin, lookup, { ...options, upgrade: service.protocol })
  return inside.kind === 'inconclusive' ? plain : inside
}

/** Each pair of versions is tried once, no matter how many checks need it. */
export async function* runTls(run: ServiceRun): AsyncIterable<ServiceEvent> {
  const readings = new Map<string, TlsReading>()
  for (const template of prepare(run.plan, run.permissions).ssl) {
    yield* withStopReason(template, async function* () {
      let isAnswered = true
      for (const block of template.ssl) {
        const key = `${block.minVersion} ${block.maxVersion}`
        const reading = readings.get(key) ?? (await handshake(run, block))
        readings.set(key, reading)
        if (reading.kind === 'inconclusive') isAnswered = false
        if (reading.kind === 'accepted') yield* matchTls(run, template, block, reading)
      }
      return isAnswered
    })
  }
}

async function handshake({ tools, origin, signal }: ServiceRun, block: SslBlock): Promise<TlsReading> {
  await tools.budget.take(origin.address, signal)
  return probeTls(block, origin, { guard: tools.guard, signal })
}

function* matchTls(
  run: ServiceRun,
  template: Template,
  block: SslBlock,
  reading: TlsReading & { kind: 'accepted' },
): Iterable<ServiceEvent> {
  const now = new Date()
  const response = tlsParts(reading, run.origin, lookupOf(run, template), now)
  for (const match of evaluateOperators(block.operators, response, run.units.of(template.id))) {
    const facts = Object.entries(tlsFacts(reading, run.origin, now)).map(([name, value]) => `${name}: ${String(value)}`)
    const handshakeLabel = `TLS handshake${block.minVersion === null ? '' : ` from ${block.minVersion}`}${block.maxVersion === null ? '' : ` to ${block.maxVersion}`}`
    const text = Buffer.from(facts.join('\n'), 'utf8').toString('latin1')
    yield found(run, template, match, rawEvidence(handshakeLabel, text, match), ' tls')
  }
}

function lookupOf({ origin, target }: ServiceRun, template: Template) {
  const scheme = origin.tls ? 'https' : 'http'
  const variables = variablesOf({ ...origin, scheme, basePath: target.basePath })
  return withVariables(
    template.variables,
    withRandom((name) => variables.get(name)),
  )
}

function found(
  { target, service }: ServiceRun,
  template: Template,
  match: Match,
  evidence: Evidence & { readonly reproduce?: string },
  suffix: string,
): ServiceEvent {
  const { info, claimedQuality } = template
  return {
    kind: 'found',
    severity: info.severity,
    finding: {
      kind: 'finding',
      address: target.address,
      port: service.port,
      transport: 'tcp',
      check: info.id,
      threat: info.threat,
      location: `${service.port}${suffix}${match.name === '' ? '' : ` ${match.name}`}`.slice(0, 500),
      quality: claimedQuality ?? 99,
      ...evidence,
    },
  }
}
