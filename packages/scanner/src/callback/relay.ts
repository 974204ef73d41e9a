/** Proxies a callback server to a scan in another thread over a message port. */
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { type Callbacks, type CallbackEndpoint, createCallbackRegistry, type Interaction } from '#callback/registry.ts'
import type { CallbackServer } from '#callback/index.ts'

/** Data for the other thread; `port` must be in the transfer list. */
export interface LentCallbacks {
  readonly place: CallbackEndpoint
  readonly port: MessagePort
}
export interface Lending extends Disposable {
  readonly lent: LentCallbacks
}
interface RelayRequest {
  readonly action: 'expect' | 'forget'
  readonly id: string
}
interface InteractionMessage {
  readonly id: string
  readonly call: Interaction
}

/** Lends the server to one thread until disposed, then unregisters all addresses created there. */
export function lendCallbacks(server: CallbackServer): Lending {
  const { port1: ours, port2: port } = new MessageChannel()
  const registered = new Set<string>()
  ours.on('message', ({ action, id }: RelayRequest) => {
    if (action === 'expect') {
      registered.add(id)
      server.expect(id, (call) => ours.postMessage({ id, call } satisfies InteractionMessage))
    } else {
      registered.delete(id)
      server.forget(id)
    }
  })
  return {
    lent: { place: server.endpoint, port },
    [Symbol.dispose]() {
      ours.close()
      for (const id of registered) server.forget(id)
    },
  }
}

/** The borrowing side. It doesn't keep its thread alive and ends with the lending. */
export function borrowCallbacks({ place, port }: LentCallbacks): Callbacks {
  const send = (order: RelayRequest) => port.postMessage(order)
  const registry = createCallbackRegistry(place, {
    expect: (id) => send({ action: 'expect', id }),
    forget: (id) => send({ action: 'forget', id }),
  })
  port.on('message', ({ id, call }: InteractionMessage) => registry.record(id, call))
  port.unref()
  return registry
}
