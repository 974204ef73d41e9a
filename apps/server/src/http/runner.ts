/** The endpoints for agents, which authenticate with an enrollment token or a key. */
import { setTimeout as pause } from 'node:timers/promises'
import { type Endpoint, pathParameters, type ParsedInputOf, type ResultOf } from '@glacis/contract/endpoint'
import { reportAgentInventory } from '@glacis/contract/machine'
import * as runner from '@glacis/contract/runner'
import { type AgentIdentity, authenticateAgent, connect, disconnect, heartbeat, isNewProcess } from '#agents/index.ts'
import type { Ctx } from '#ctx.ts'
import { type Database, inWorkspace } from '#database/index.ts'
import { ApiError } from '#errors.ts'
import { recordMachine } from '#inventory/index.ts'
import { assessMachine } from '#issues/index.ts'
import type { Live } from '#live.ts'
import type { PackArchives } from '#packs/index.ts'
import { leaseBatch, progressBatch, reportBatch, type Scanning, returnAllBatches } from '#scans/index.ts'
import { isWithinNetworks } from '#networks.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { z } from 'zod/mini'

export interface RunnerOptions {
  readonly database: Database
  readonly scanning: Scanning
  readonly archives: PackArchives
  readonly live: Pick<Live, 'onHint'>
}

/** Parts of scan results are larger than other request bodies. */
const partBytesMax = 4 * 1024 * 1024
const waitMsMax = 20_000
/** Polling interval in case a hint is lost. */
const pollMs = 5000
/** Minimum time between reads; running scans cause many hints. */
const minReadIntervalMs = 1000

/** Mounts the agent endpoints; returns them for the OpenAPI document and tests. */
export function mountRunner(app: FastifyInstance, { database, scanning, archives, live }: RunnerOptions): Endpoint[] {
  const endpoints: Endpoint[] = []
  const closing = new AbortController()
  app.addHook('preClose', async () => closing.abort())
  const admit = (request: FastifyRequest) => admitAgent(database, request)
  const within = <T>(request: FastifyRequest, agent: AgentIdentity, work: (ctx: Ctx) => Promise<T>) => {
    const actor = { kind: 'scan' as const, name: `agent ${agent.name}`, ip: request.ip }
    return inWorkspace(database, { workspace: agent.workspace, actor, log: request.log }, work)
  }

  const admitKey = async (request: FastifyRequest) => {
    const agent = await admit(request)
    if (agent.kind === 'TOKEN')
      throw new ApiError('unauthenticated', 'Connect first; an enrollment token only allows connecting')
    return agent
  }

  /** Every endpoint requires the key, except `connect`, which also accepts an enrollment token. */
  function serve<E extends Endpoint<z.ZodMiniObject, z.ZodMiniType>>(
    endpoint: E,
    handler: (ctx: Ctx, input: ParsedInputOf<E>, agent: AgentIdentity) => Promise<ResultOf<E>>,
    { acceptsToken = false }: { acceptsToken?: boolean } = {},
  ): void {
    endpoints.push(endpoint)
    app.route({
      method: endpoint.method,
      url: endpoint.path,
      bodyLimit: partBytesMax,
      handler: async (request) => {
        const agent = await (acceptsToken ? admit : admitKey)(request)
        const input = endpoint.input.parse(inputOf(endpoint, request)) as ParsedInputOf<E> // parsed by that very schema
        return within(request, agent, (ctx) => handler(ctx, input, agent))
      },
    })
  }

  serve(
    runner.connectAgent,
    async (ctx, input, agent) => {
      const isNew = await isNewProcess(ctx, agent.agentId, input.instance)
      const response = await connect(ctx, agent, input)
      if (isNew) await returnAllBatches(ctx, agent.agentId, 'STATE_LOST', 'it was restarted')
      return response
    },
    { acceptsToken: true },
  )
  endpoints.push(runner.heartbeatAgent)
  app.post(runner.heartbeatAgent.path, async (request) => {
    const agent = await admitKey(request)
    return heartbeat(database, agent, runner.heartbeatAgent.input.parse(request.body ?? {}))
  })
  serve(runner.disconnectAgent, async (ctx, _input, agent) => {
    await returnAllBatches(ctx, agent.agentId, 'STATE_RETURNED', 'it was stopped')
    return disconnect(ctx, agent)
  })
  serve(reportAgentInventory, async (ctx, input, agent) => {
    const { isFullNeeded, isChanged } = await recordMachine(ctx, agent.agentId, input)
    if (isChanged) await assessMachine(ctx, agent.agentId, scanning.knowledge)
    return { isFullNeeded }
  })
  serve(runner.progressAgentJob, (ctx, input, agent) => progressBatch(ctx, agent.agentId, input))
  serve(runner.reportAgentJob, (ctx, input, agent) => reportBatch(ctx, scanning, agent.agentId, input))

  endpoints.push(runner.takeAgentJob)
  // No HEAD route: the request leases a job.
  app.get(runner.takeAgentJob.path, { exposeHeadRoute: false }, async (request) => {
    const agent = await admitKey(request)
    const { digest } = await archives.current()
    const until = Date.now() + waitMsMax
    for (;;) {
      // Subscribe before reading, so that no hint is missed in between.
      using hint = hintOf(live, agent.workspace, closing.signal)
      const job = await within(request, agent, (ctx) => leaseBatch(ctx, scanning, agent.agentId, digest))
      if (job) return { job }
      if (Date.now() >= until || closing.signal.aborted) return {}
      await hint.within(Math.min(pollMs, until - Date.now()))
      // Don't lease a job to a disconnected agent.
      if (request.socket.destroyed) return {}
    }
  })
  app.get<{ Params: { digest: string } }>('/v1/agent/packs/:digest', async (request, reply) => {
    await admit(request)
    const archive = await archives.current()
    if (archive.digest !== request.params.digest)
      throw new ApiError('not_found', 'This pack archive is no longer current')
    return reply.type('application/gzip').send(archive.body)
  })
  return endpoints
}

/** Waits for the next hint of a workspace, with a timeout, or until `closing` aborts. */
function hintOf(live: Pick<Live, 'onHint'>, workspace: string, closing: AbortSignal) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const ending = new AbortController()
  const stop = live.onHint(workspace, resolve)
  const signal = AbortSignal.any([ending.signal, closing])
  const passed = (ms: number) => pause(ms, undefined, { signal }).catch(() => undefined)
  return {
    async within(ms: number): Promise<void> {
      await Promise.race([Promise.all([promise, passed(Math.min(minReadIntervalMs, ms))]), passed(ms)])
    },
    [Symbol.dispose]() {
      stop()
      ending.abort()
    },
  }
}

async function admitAgent(database: Database, request: FastifyRequest): Promise<AgentIdentity> {
  const agent = await authenticateAgent(database, request.headers.authorization, new Date())
  if (!agent) throw new ApiError('unauthenticated', 'This token or key is invalid, used, expired, or revoked')
  if (agent.expiresAt && agent.expiresAt <= new Date())
    throw new ApiError('unauthenticated', "This agent's access has expired. Extend it, or create a new agent")
  if (!agent.hasActiveCreator)
    throw new ApiError(
      'unauthenticated',
      'The member who created this agent can no longer run scans. Rotate its token to take it over',
    )
  if (!isWithinNetworks(agent.allowedNetworks, request.ip))
    throw new ApiError('forbidden', `This agent can't connect from ${request.ip}`)
  return agent
}

function inputOf(endpoint: Endpoint, request: FastifyRequest): unknown {
  const params = request.params as Record<string, string> // fastify fills the names of the path
  const parameters = Object.fromEntries(pathParameters(endpoint.path).map((name) => [name, params[name]]))
  const body = request.body ?? {}
  return typeof body === 'object' && !Array.isArray(body) ? { ...body, ...parameters } : body
}
