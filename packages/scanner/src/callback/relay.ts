/** Proxies a callback server to a scan in another process. The caller connects the two sides. */
import { type Callbacks, type CallbackEndpoint, createCallbackRegistry, type Interaction } from '#callback/registry.ts'
import type { CallbackServer } from '#callback/index.ts'

/** A message from the borrowing side. */
export interface RelayRequest {
  readonly action: 'expect' | 'forget'
  readonly id: string
}
/** A message from the lending side. */
export interface InteractionMessage {
  readonly id: string
  readonly call: Interaction
}
export interface Lending extends Disposable {
  readonly endpoint: CallbackEndpoint
  receive(request: RelayRequest): void
}
export interface BorrowedCallbacks extends Callbacks {
  receive(message: InteractionMessage): void
}

/** Lends the server to one process until disposed, then unregisters all addresses created there. */
export function lendCallbacks(server: CallbackServer, send: (message: InteractionMessage) => void): Lending {
  const registered = new Set<string>()
  return {
    endpoint: server.endpoint,
    receive({ action, id }) {
      if (action === 'expect') {
        registered.add(id)
        server.expect(id, (call) => send({ id, call }))
      } else {
        registered.delete(id)
        server.forget(id)
      }
    },
    [Symbol.dispose]() {
      for (const id of registered) server.forget(id)
    },
  }
}

/**
 * The borrowing side. `send` must write immediately: the server must know an address before a target
 * can call it.
 */
export function borrowCallbacks(endpoint: CallbackEndpoint, send: (request: RelayRequest) => void): BorrowedCallbacks {
  const registry = createCallbackRegistry(endpoint, {
    expect: (id) => send({ action: 'expect', id }),
    forget: (id) => send({ action: 'forget', id }),
  })
  return { ...registry, receive: ({ id, call }) => registry.record(id, call) }
}
