/** Proxies a callback server to a scan in another thread over a message port. */
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { type Callbacks, type CallbackPlace, createCallbackRegistry, type Interaction } from '#callback/registry.ts'
import type { CallbackServer } from '#callback/index.ts'

/** Data for the other thread; `port` must be in the transfer list. */
export interface LentCallbacks {
  readonly place: CallbackPlace
  readonly port: MessagePort
}
export interface Lending extends Disposable {
  readonly lent: LentCallbacks
}
interface Order {
  readonly does: 'expect' | 'forget'
  readonly id: string
}
interface News {
  readonly id: string
  readonly call: Interaction
}

/** Lends the server to one thread until disposed, then unregisters all addresses created there. */
export function lendCallbacks(server: CallbackServer): Lending {
  const { port1: ours, port2: port } = new MessageChannel()
  const waitedFor = new Set<string>()
  ours.on('message', ({ does, id }: Order) => {
    if (does === 'expect') {
      waitedFor.add(id)
      server.expect(id, (call) => ours.postMessage({ id, call } satisfies News))
    } else {
      waitedFor.delete(id)
      server.forget(id)
    }
  })
  return {
    lent: { place: server.place, port },
    [Symbol.dispose]() {
      ours.close()
      for (const id of waitedFor) server.forget(id)
    },
  }
}

/** The borrowing side. It doesn't keep its thread alive and ends with the lending. */
export function borrowCallbacks({ place, port }: LentCallbacks): Callbacks {
  const tell = (order: Order) => port.postMessage(order)
  const book = createCallbackRegistry(place, {
    expect: (id) => tell({ does: 'expect', id }),
    forget: (id) => tell({ does: 'forget', id }),
  })
  port.on('message', ({ id, call }: News) => book.note(id, call))
  port.unref()
  return book
}
