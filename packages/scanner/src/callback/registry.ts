/**
 * Registry of callback addresses and the interactions received on them. Each address belongs to one
 * registry, in this thread or another one.
 */
import { bracketed } from '#ip.ts'
import { randomBytes } from 'node:crypto'

/** One received callback. Texts are byte strings. */
export interface Interaction {
  readonly protocol: 'http' | 'dns' | 'ldap'
  readonly request: string
  readonly response: string
  /** Source address. */
  readonly address: string
}
/** The callback server as seen by template runners. */
export interface Callbacks {
  /** Creates an unguessable address: a hostname, or a host with a port and path. */
  create(): CallbackAddress
  /** Interactions with an address so far, oldest first. */
  interactions(id: string): readonly Interaction[]
  /** Stops recording interactions with the address. */
  forget(id: string): void
}
export interface CallbackAddress {
  readonly id: string
  /** Value of `{{interactsh-url}}`. */
  readonly url: string
}
/** How targets reach the callback server; determines the form of callback addresses. */
export interface CallbackEndpoint {
  /**
   * A domain delegated to the callback server; when absent, addresses are paths on `publicHost`.
   */
  readonly domain?: string
  readonly publicHost: string
  readonly publicPort: number
}
export interface CallbackRegistry extends Callbacks {
  /** Records a callback if its address is still registered and the size limit allows it. */
  record(id: string, call: Interaction): void
}
/** Registers callback addresses with the server. */
export interface CallbackRegistrar {
  expect(id: string): void
  forget(id: string): void
}

/** 160 bits, encoded with characters valid in hostnames. */
const ID_BYTES = 20
/**
 * Maximum size of all recorded interactions, in characters. Hostile targets may call back without
 * limit.
 */
const KEPT_MAX = 64 * 1024 * 1024

/** Records interactions with the addresses that it creates. */
export function createCallbackRegistry(endpoint: CallbackEndpoint, server: CallbackRegistrar): CallbackRegistry {
  const calls = new Map<string, Interaction[]>()
  let kept = 0
  return {
    create() {
      const id = randomBytes(ID_BYTES).toString('hex')
      calls.set(id, [])
      server.expect(id)
      return { id, url: urlOf(id, endpoint) }
    },
    interactions: (id) => calls.get(id) ?? [],
    forget(id) {
      kept -= (calls.get(id) ?? []).reduce((sum, call) => sum + lengthOf(call), 0)
      calls.delete(id)
      server.forget(id)
    },
    record(id, call) {
      const recorded = calls.get(id)
      if (!recorded || kept + lengthOf(call) > KEPT_MAX) return
      kept += lengthOf(call)
      recorded.push(call)
    },
  }
}

/** Approximate memory use of an interaction, in characters. */
export function lengthOf({ request, response }: Interaction): number {
  return request.length + response.length
}

function urlOf(id: string, { domain, publicHost, publicPort }: CallbackEndpoint): string {
  const suffix = publicPort === 80 ? '' : `:${publicPort}`
  const host = bracketed(publicHost)
  return domain === undefined ? `${host}${suffix}/${id}` : `${id}.${domain}${suffix}`
}
