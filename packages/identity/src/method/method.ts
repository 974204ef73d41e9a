/**
 * A way to prove who one is. Each method says which fields it puts on which form and what a submit
 * of them comes to; the flows know methods by this alone, so a new one is a file and a line in `methods`.
 */
import type { Flow } from '#flow/flow.ts'
import type { Fields } from '#http/body.ts'
import type { Exchange } from '#http/exchange.ts'
import type { Identity } from '#identities.ts'
import type { Service } from '#service.ts'
import type { LiveSession } from '#session.ts'
import type { AuthenticationMethod, Database, FlowMemory, Traits } from '#store.ts'
import type { Message, PlacedMessage } from '#ui/message.ts'
import type { Node } from '#ui/node.ts'

/** What a form is drawn for. */
export interface Scene {
  readonly service: Service
  /** Whose renewal, second factor or settings; null where nobody is known yet. */
  readonly holder: Identity | null
  /** What the flow remembers so far. */
  readonly memory: FlowMemory
  /** Leaves with the flow what a submit of it must meet again. */
  remember(more: FlowMemory): void
}

/** The same for a form that always has somebody behind it. */
export type HeldScene = Scene & { readonly holder: Identity }

type Nodes = readonly Node[] | Promise<readonly Node[]>

export interface Refused {
  readonly kind: 'refused'
  readonly messages: readonly PlacedMessage[]
  /** What the form asked was used up: another try needs the method's nodes anew. */
  readonly isSpent?: boolean
}

/** A wrong password is a value, not an exception. */
export type LoginOutcome = { readonly kind: 'passed'; readonly identityId: string } | Asked | Refused

/** Something was sent; the form goes on with these nodes, in this order, and nothing is proved yet. */
export interface Asked {
  readonly kind: 'asked'
  readonly nodes: readonly Node[]
  readonly message: Message
  readonly memory: FlowMemory
}

/** A credential that waits for its account to be made. */
export type RegistrationOutcome =
  | {
      readonly kind: 'ready'
      readonly attach: (tx: Database, identityId: string) => Promise<void>
      /** The credential has proved the address. */
      readonly isProven?: boolean
    }
  | Asked
  | Refused

export type SettingsOutcome =
  | {
      readonly kind: 'saved'
      readonly continueWith?: readonly unknown[]
      /** What the change has proved on the way: who enrols a factor has just used it. */
      readonly proves?: Pick<AuthenticationMethod, 'method' | 'aal'>
    }
  /** Nothing was changed yet; the form goes on with these nodes of the method. */
  | { readonly kind: 'shown'; readonly nodes: readonly Node[]; readonly memory?: FlowMemory }
  | { readonly kind: 'reauthenticate' }
  | Refused

export interface Method {
  readonly name: string
  /** Recognises a submit that does not name its method, by the fields that only this one has. */
  readonly claims?: (fields: Fields) => boolean
  readonly login?: {
    /** Fields of a sign-in; the holder is whose sign-in is refreshed, if any. */
    nodes(scene: Scene): Nodes
    submit(exchange: Exchange, fields: Fields, flow: Flow): Promise<LoginOutcome>
  }
  /** A proof after the first one, asked of every account that has a credential of the method's name. */
  readonly secondFactor?: {
    /** No credential is needed for it: every account has it. */
    readonly isEverybodys?: boolean
    /** What happens at once when an account has no other second factor. */
    begin?(exchange: Exchange, session: LiveSession, flow: Flow): Promise<LoginOutcome>
    nodes(scene: HeldScene): Nodes
    submit(exchange: Exchange, session: LiveSession, fields: Fields, flow: Flow): Promise<LoginOutcome>
  }
  readonly registration?: {
    nodes(scene: Scene): Nodes
    submit(exchange: Exchange, fields: Fields, traits: Traits, flow: Flow): Promise<RegistrationOutcome>
    /** The credential itself may bring the traits: they are read when it is there. */
    readonly needsNoTraits?: boolean
    /** Faults of this method's own fields that can be told before the traits are right. */
    missing(fields: Fields): readonly PlacedMessage[]
  }
  readonly settings?: {
    nodes(scene: HeldScene): Nodes
    submit(exchange: Exchange, session: LiveSession, fields: Fields, flow: Flow): Promise<SettingsOutcome>
  }
}

/** A submit that the method did not accept. */
export function refused(...messages: PlacedMessage[]): Refused {
  return { kind: 'refused', messages }
}
