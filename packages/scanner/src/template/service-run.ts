/** Inputs and outputs of the checks of one service. */
import type { CheckPermission, FindingObservation, ScanProfile } from '@glacis/contract/runner'
import type { Wfn } from '@glacis/contract/product'
import type { z } from 'zod'
import type { Callbacks } from '#callback/index.ts'
import type { Guard } from '#guard.ts'
import type { HttpClient } from '#net/http.ts'
import type { Origin } from '#net/http-message.ts'
import type { SharedClient } from '#net/shared-client.ts'
import type { CheckPlan, Permissions } from '#template/plan.ts'
import type { Units } from '#unit.ts'

export interface CheckTarget {
  /** Pinned IP address, the only one that is dialed. */
  readonly address: string
  /** Name for `Host` and SNI; the address if unknown. */
  readonly hostname: string
  readonly basePath: string
  readonly services: readonly IdentifiedService[]
}
export interface IdentifiedService {
  readonly port: number
  readonly transport: 'tcp' | 'udp'
  /** `http`, `redis`, …; empty if not identified. */
  readonly protocol: string
  readonly tls: boolean
  readonly banner: string
  readonly technologies: readonly { readonly name: string; readonly wfn: Wfn }[]
  /** Maximum number of concurrent requests to a web server by checks that otherwise send them one after another. Default: one. */
  readonly requestsAtOnce?: number
  /** The folder of the application that a web server's front page leads to. All HTTP checks run there as well. */
  readonly ownFolder?: string
  /** Folders of other products, where only the HTTP checks of identified products and native checks run. */
  readonly linkedFolders?: readonly string[]
  /** Names of other sites on the server. All HTTP checks run on the first, those of identified products on the others. */
  readonly virtualHosts?: readonly string[]
}
export interface CheckTools {
  /** Applies its own rate limit before each request; pass `beforeRequest`. */
  readonly http: HttpClient
  /** Responses that the identification and other checks of the host share; absent: a client per service. */
  readonly shared?: SharedClient
  readonly guard: Guard
  readonly signal: AbortSignal
  readonly profile: ScanProfile
  /** Kinds of intrusive checks that may run. */
  readonly permissions?: ReadonlySet<CheckPermission>
  /** Runs every check on every service that it can run on, not only the relevant ones. */
  readonly isExhaustive?: boolean
  /** Callback server; without it, checks that need callbacks don't run. */
  readonly callbacks?: Callbacks
  /** Reports every match, even if a control request gets the same one. */
  readonly acceptsEveryMatch?: boolean
  /** Operator-supplied values for placeholders, such as credentials. */
  readonly suppliedValues?: ReadonlyMap<string, string>
  /** Resolver addresses with an optional port (default 53); absent: this machine's resolvers. */
  readonly resolvers?: readonly string[]
  /** Services of the host checked concurrently; default 1. */
  readonly servicesAtOnce?: number
  /** Budgets of the checks on this host; absent: new ones. */
  readonly units?: Units
  /** Called before each non-HTTP connection. */
  readonly budget: { take(address: string, signal: AbortSignal): Promise<void> }
}
/** Tools for the runners of one service. */
export interface ServiceRun {
  readonly target: CheckTarget
  readonly service: IdentifiedService
  readonly origin: Origin
  /** The name of the site, if the service has others. */
  readonly virtualHost?: string
  readonly plan: CheckPlan
  readonly tools: CheckTools
  /** Remaining budget shared by all services of the host. */
  readonly allowance: { payloadRequests: number; linkedPages: number }
  readonly units: Units
  readonly permissions: Permissions
  /** Aborts with the scan or at the port's deadline. */
  readonly signal: AbortSignal
}
export type Finding = z.infer<typeof FindingObservation>
/** A finding with its check's severity, which decides whether it is held back. */
export interface FoundEvent {
  readonly kind: 'found'
  readonly finding: Finding
  readonly severity: string
}
/** Whether a check completed one protocol of the service: every request was answered. */
export interface CompletionEvent {
  readonly kind: 'ended'
  readonly isFinished: boolean
  readonly check: string
  /** Why it was stopped, if it was. */
  readonly stopReason?: string | null
}
export interface ProblemEvent {
  readonly kind: 'problem'
  readonly message: string
}
/** A match that was withheld. */
export interface DoubtedEvent {
  readonly kind: 'doubted'
  readonly check: string
  readonly location: string
  readonly reason: string
}
export type ServiceEvent = FoundEvent | CompletionEvent | ProblemEvent | DoubtedEvent
