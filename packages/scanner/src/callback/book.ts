/** What a callback server hears, and who waits for it: each address is waited for by one book, here or in another thread. */
import { randomBytes } from 'node:crypto'

/** One call that was heard. Texts are byte strings. */
export interface Interaction {
  readonly protocol: 'http' | 'dns'
  readonly request: string
  readonly response: string
  /** Who called. */
  readonly address: string
}
/** What the runners need of a callback server. */
export interface Callbacks {
  /** Makes an address that nobody can guess: a host name, or a host with a port and a path. */
  create(): CallbackAddress
  /** What has called an address so far, the oldest first. */
  heard(id: string): readonly Interaction[]
  /** Nobody waits for calls to the address any more. */
  forget(id: string): void
}
export interface CallbackAddress {
  readonly id: string
  /** Stands in for `{{interactsh-url}}`. */
  readonly url: string
}
/** How targets reach the server, and so how addresses are written. */
export interface CallbackPlace {
  /** A domain whose names lead to the server; absent: addresses are paths below `publicHost`. */
  readonly domain?: string
  readonly publicHost: string
  readonly publicPort: number
}
export interface Book extends Callbacks {
  /** Writes a call down, if its address is still waited for and there is room. */
  note(id: string, call: Interaction): void
}
/** Tells the server which addresses are waited for. */
export interface Expecting {
  expect(id: string): void
  forget(id: string): void
}

/** 160 bits in the letters that a host name may have. */
const ID_BYTES = 20
/** What a book keeps of all calls together, in characters: hostile targets may call as often as they like. */
const KEPT_MAX = 64 * 1024 * 1024

/** Keeps what is heard of the addresses that it makes itself. */
export function createBook(place: CallbackPlace, server: Expecting): Book {
  const calls = new Map<string, Interaction[]>()
  let kept = 0
  return {
    create() {
      const id = randomBytes(ID_BYTES).toString('hex')
      calls.set(id, [])
      server.expect(id)
      return { id, url: urlOf(id, place) }
    },
    heard: (id) => calls.get(id) ?? [],
    forget(id) {
      kept -= (calls.get(id) ?? []).reduce((sum, call) => sum + lengthOf(call), 0)
      calls.delete(id)
      server.forget(id)
    },
    note(id, call) {
      const known = calls.get(id)
      if (!known || kept + lengthOf(call) > KEPT_MAX) return
      kept += lengthOf(call)
      known.push(call)
    },
  }
}

/** How much of memory a call takes, in characters. */
export function lengthOf({ request, response }: Interaction): number {
  return request.length + response.length
}

function urlOf(id: string, { domain, publicHost, publicPort }: CallbackPlace): string {
  const suffix = publicPort === 80 ? '' : `:${publicPort}`
  const host = publicHost.includes(':') ? `[${publicHost}]` : publicHost
  return domain === undefined ? `${host}${suffix}/${id}` : `${id}.${domain}${suffix}`
}
