/** The request context, the first parameter of domain functions: workspace, actor, transaction, time, and log. */
import type { Role } from '@glacis/contract/role'
import type { Tables } from '#database/tables.ts'
import type { Transaction } from 'kysely'

export interface Actor {
  readonly kind: 'person' | 'token' | 'scan' | 'system'
  /** The name shown in history: a person's name, or `scan`. */
  readonly name: string
  /** The client address of a person; empty otherwise. */
  readonly ip: string
  /** Identity ID of a person, or of the person who created the token. */
  readonly id?: string
  /** The role of the person or token. */
  readonly role?: Role
  readonly userAgent?: string
}

/** A signed-in person, whether or not they are a member of a workspace. */
export interface Person {
  readonly identityId: string
  readonly name: string
  readonly email: string
  /** Whether they have verified `email`. */
  readonly isVerified: boolean
  /** The identity providers that the person signed in with. */
  readonly providers?: readonly string[]
  /** ID of the session at the identity service. Absent outside a request. */
  readonly sessionId?: string
}

export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** A request of a signed-in person that isn't about a workspace. */
export interface Visit {
  readonly person: Person
  readonly actor: Actor
  readonly log: Log
}

export interface Ctx {
  readonly workspace: string
  readonly actor: Actor
  readonly tx: Transaction<Tables>
  readonly now: Date
  readonly log: Log
  /** Billing is off: all workspaces have the largest plan. */
  readonly isUnlimited: boolean
}

/** Runs a step in its own transaction, for functions that wait for external services between steps. */
export type Within = <T>(step: (ctx: Ctx) => Promise<T>) => Promise<T>

export const scanActor: Actor = { kind: 'scan', name: 'scan', ip: '' }
export const systemActor: Actor = { kind: 'system', name: 'system', ip: '' }
