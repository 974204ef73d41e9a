/** A callback server for a scan in another thread: addresses are made there, and calls are told of over a port. */
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { type Callbacks, type CallbackPlace, createBook, type Interaction } from '#callback/book.ts'
import type { CallbackServer } from '#callback/index.ts'

/** What the other thread gets among its data; `port` belongs into the list of what is transferred. */
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

/** Lends the server to one other thread, until it is disposed of; then nothing that was made there is waited for. */
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

/** The lent server in the thread that it was lent to. It keeps no thread alive and ends with the lending. */
export function borrowCallbacks({ place, port }: LentCallbacks): Callbacks {
  const tell = (order: Order) => port.postMessage(order)
  const book = createBook(place, {
    expect: (id) => tell({ does: 'expect', id }),
    forget: (id) => tell({ does: 'forget', id }),
  })
  port.on('message', ({ id, call }: News) => book.note(id, call))
  port.unref()
  return book
}
