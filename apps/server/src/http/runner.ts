/** The calls that agents make. They come with a token or a key of their own, never with a session. */
import { setTimeout as pause } from 'node:timers/promises'
import { type Endpoint, pathParameters, type ParsedInputOf, type ResultOf } from '@glacis/contract/endpoint'
import * as runner from '@glacis/contract/runner'
import { type AgentIdentity, authenticateAgent, connect, disconnect, heartbeat, isNewProcess } from '#agents/index.ts'
import type { Ctx } from '#ctx.ts'
import { type Database, inAccount } from '#database/index.ts'
import { Refusal } from '#errors.ts'
import type { Live } from '#live.ts'
import type { PackArchives } from '#packs/index.ts'
import { leaseBatch, progressBatch, reportBatch, type Scanning, takeBackAll } from '#scans/index.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { z } from 'zod'

export interface RunnerOptions {
  readonly database: Database
  readonly scanning: Scanning
  readonly archives: PackArchives
  readonly live: Pick<Live, 'onHint'>
}

/** A part of a result may be larger than what people send. */
const partBytesMax = 4 * 1024 * 1024
const waitMsMax = 20_000
/** A hint may be missed. */
const lookMs = 5000
/** Hints come in swarms while scans run; a look a second is enough. */
const calmMs = 1000

/** Mounts the agents' side of the API; answers its calls, for the document and the tests. */
export function mountRunner(app: FastifyInstance, { database, scanning, archives, live }: RunnerOptions): Endpoint[] {
  const endpoints: Endpoint[] = []
  const admit = (request: FastifyRequest) => admitAgent(database, request)
  const within = <T>(request: FastifyRequest, agent: AgentIdentity, work: (ctx: Ctx) => Promise<T>) => {
    const actor = { kind: 'scan' as const, name: `agent ${agent.name}`, ip: request.ip }
    return inAccount(database, { account: agent.account, actor, log: request.log }, work)
  }

  /** Everything but connecting needs the key; a token is good for that alone. */
  function serve<E extends Endpoint<z.ZodObject, z.ZodType>>(
    endpoint: E,
    verb: (ctx: Ctx, input: ParsedInputOf<E>, agent: AgentIdentity) => Promise<ResultOf<E>>,
    { takesToken = false }: { takesToken?: boolean } = {},
  ): void {
    endpoints.push(endpoint)
    app.route({
      method: endpoint.method,
      url: endpoint.path,
      bodyLimit: partBytesMax,
      handler: async (request) => {
        const agent = await admit(request)
        if (agent.kind === 'TOKEN' && !takesToken)
          throw new Refusal('unauthenticated', 'Connect first: this is a token')
        const input = endpoint.input.parse(inputOf(endpoint, request)) as ParsedInputOf<E> // parsed by that very schema
        return within(request, agent, (ctx) => verb(ctx, input, agent))
      },
    })
  }

  serve(
    runner.connectAgent,
    async (ctx, input, agent) => {
      const isNew = await isNewProcess(ctx, agent.agentId, input.instance)
      const answer = await connect(ctx, agent, input)
      if (isNew) await takeBackAll(ctx, agent.agentId, 'STATE_LOST', 'it was started anew')
      return answer
    },
    { takesToken: true },
  )
  serve(runner.heartbeatAgent, (ctx, input, agent) => heartbeat(ctx, agent, input))
  serve(runner.disconnectAgent, async (ctx, _input, agent) => {
    await takeBackAll(ctx, agent.agentId, 'STATE_RETURNED', 'it was stopped')
    return disconnect(ctx, agent)
  })
  serve(runner.progressAgentJob, (ctx, input, agent) => progressBatch(ctx, agent.agentId, input))
  serve(runner.reportAgentJob, (ctx, input, agent) => reportBatch(ctx, scanning, agent.agentId, input))

  endpoints.push(runner.takeAgentJob)
  // Asking takes a job, so nobody may ask without reading the answer.
  app.get(runner.takeAgentJob.path, { exposeHeadRoute: false }, async (request) => {
    const agent = await admit(request)
    if (agent.kind === 'TOKEN') throw new Refusal('unauthenticated', 'Connect first: this is a token')
    const { digest } = await archives.current()
    const until = Date.now() + waitMsMax
    for (;;) {
      // Listened for before it is looked for, so that nothing is missed in between.
      using hint = hintOf(live, agent.account)
      const job = await within(request, agent, (ctx) => leaseBatch(ctx, scanning, agent.agentId, digest))
      if (job) return { job }
      if (Date.now() >= until) return {}
      await hint.within(Math.min(lookMs, until - Date.now()))
      // Nothing is leased to one that has hung up.
      if (request.socket.destroyed) return {}
    }
  })
  app.get<{ Params: { digest: string } }>('/v1/agent/packs/:digest', async (request, reply) => {
    await admit(request)
    const archive = await archives.current()
    if (archive.digest !== request.params.digest) throw new Refusal('not_found', 'There are other packs now')
    return reply.type('application/gzip').send(archive.body)
  })
  return endpoints
}

/** Waits until something happened in an account, or for so long. */
function hintOf(live: Pick<Live, 'onHint'>, account: string) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const ending = new AbortController()
  const stop = live.onHint(account, resolve)
  const passed = (ms: number) => pause(ms, undefined, { signal: ending.signal }).catch(() => undefined)
  return {
    async within(ms: number): Promise<void> {
      await Promise.race([Promise.all([promise, passed(Math.min(calmMs, ms))]), passed(ms)])
    },
    [Symbol.dispose]() {
      stop()
      ending.abort()
    },
  }
}

async function admitAgent(database: Database, request: FastifyRequest): Promise<AgentIdentity> {
  const agent = await authenticateAgent(database, request.headers.authorization, new Date())
  if (!agent) throw new Refusal('unauthenticated', 'This token or key is unknown, used up, expired or revoked')
  return agent
}

function inputOf(endpoint: Endpoint, request: FastifyRequest): unknown {
  const given = request.params as Record<string, string> // fastify fills the names of the path
  const parameters = Object.fromEntries(pathParameters(endpoint.path).map((name) => [name, given[name]]))
  const body = request.body ?? {}
  return typeof body === 'object' && !Array.isArray(body) ? { ...body, ...parameters } : body
}
