/**
 * A way to prove who one is. Each method says which fields it puts on which form and what a submit
 * of them comes to; the flows know methods by this alone, so a new one is a file and a line in `methods`.
 */
import type { Fields } from '#http/body.ts'
import type { Exchange } from '#http/exchange.ts'
import type { Identity } from '#identities.ts'
import type { LiveSession } from '#session.ts'
import type { Database, Traits } from '#store.ts'
import type { PlacedMessage } from '#ui/message.ts'
import type { Node } from '#ui/node.ts'

export interface Refused {
  readonly kind: 'refused'
  readonly messages: readonly PlacedMessage[]
}

/** A wrong password is a value, not an exception. */
export type LoginOutcome = { readonly kind: 'passed'; readonly identityId: string } | Refused

/** A credential that waits for its account to be made. */
export type RegistrationOutcome =
  | { readonly kind: 'ready'; readonly attach: (tx: Database, identityId: string) => Promise<void> }
  | Refused

export type SettingsOutcome =
  | { readonly kind: 'saved'; readonly continueWith: readonly unknown[] }
  | { readonly kind: 'reauthenticate' }
  | Refused

export interface Method {
  readonly name: string
  readonly login?: {
    /** Fields of a sign-in; `holder` is whose sign-in is refreshed, if any. */
    nodes(holder: Identity | null): readonly Node[]
    submit(exchange: Exchange, fields: Fields): Promise<LoginOutcome>
  }
  /** A proof after the first one, asked of every account that has a credential of the method's name. */
  readonly secondFactor?: {
    nodes(holder: Identity): readonly Node[]
    submit(exchange: Exchange, session: LiveSession, fields: Fields): Promise<LoginOutcome>
  }
  readonly registration?: {
    nodes(): readonly Node[]
    submit(exchange: Exchange, fields: Fields, traits: Traits): Promise<RegistrationOutcome>
    /** Faults of this method's own fields that can be told before the traits are right. */
    missing(fields: Fields): readonly PlacedMessage[]
  }
  readonly settings?: {
    nodes(identity: Identity): readonly Node[]
    submit(exchange: Exchange, session: LiveSession, fields: Fields): Promise<SettingsOutcome>
  }
}

/** A submit that the method did not accept. */
export function refused(...messages: PlacedMessage[]): Refused {
  return { kind: 'refused', messages }
}
