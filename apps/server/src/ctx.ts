/** What every verb is given first: for whom, by whom, in which transaction, and when. */
import type { Tables } from '#database/tables.ts'
import type { Transaction } from 'kysely'

export interface Actor {
  readonly kind: 'person' | 'token' | 'scan' | 'system'
  /** As history shows it: a person's name, or `scan`. */
  readonly name: string
  /** Where a person came from; empty otherwise. */
  readonly ip: string
}

export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export interface Ctx {
  readonly account: string
  readonly actor: Actor
  readonly tx: Transaction<Tables>
  readonly now: Date
  readonly log: Log
  /** Billing is off: everyone has the largest plan. */
  readonly isUnlimited: boolean
}

/** Runs a step in a transaction of its own: for verbs that wait for somebody else between two of them. */
export type Within = <T>(step: (ctx: Ctx) => Promise<T>) => Promise<T>

export const scanActor: Actor = { kind: 'scan', name: 'scan', ip: '' }
export const systemActor: Actor = { kind: 'system', name: 'system', ip: '' }
