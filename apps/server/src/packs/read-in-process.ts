/** Parses packs and feeds in a process that has no database, and receives what it read. */
import { deserialize } from 'node:v8'
import type { Format, Item, RecordSource } from '@glacis/intelligence'
import { type CheckInfo, runTask } from '@glacis/scanner'

export type ReadRequest =
  /** Imports a file, an archive, or a folder, and collects templates and fingerprints in `scratch`. */
  | {
      readonly kind: 'feeds'
      readonly path: string
      readonly scratch: string
      readonly cache: string
      readonly source?: RecordSource
    }
  | {
      readonly kind: 'records'
      readonly files: readonly string[]
      readonly format: 'nvd' | 'lifecycle'
      readonly source?: never
    }
  | {
      readonly kind: 'packs'
      readonly folders: {
        readonly checks: readonly string[]
        readonly fingerprints: readonly string[]
        readonly cache?: string
      }
      readonly source?: never
    }

/** Metadata of all checks and fingerprints of a folder. */
export interface PackContents {
  readonly checks: readonly CheckInfo[]
  readonly counts: { readonly checks: number; readonly fingerprints: number }
  readonly problems: readonly { readonly file: string; readonly reason: string }[]
}
export type SetKind = 'template' | 'fingerprints'

/** A complete set of files that the scanner reads, and what it contains. */
export interface PackSet extends PackContents {
  readonly kind: SetKind
  readonly folder: string
}

interface Results {
  readonly feeds: readonly PackSet[]
  readonly records: void
  readonly packs: PackContents
}

export type ReaderMessage =
  | { readonly kind: 'file'; readonly format: Format; readonly version: string }
  | { readonly kind: 'items'; readonly format: Format; readonly items: Uint8Array }
export type ReadMessage = Extract<ReaderMessage, { kind: 'file' }> | ReadItems
export interface ReadItems {
  readonly kind: 'items'
  readonly format: Format
  readonly items: readonly Item[]
  readonly bytes: number
}

export interface ReadAccess {
  readonly readable: readonly string[]
  readonly writable: readonly string[]
}

export interface ReadOptions {
  readonly signal: AbortSignal
  /** Called with one message after the other. */
  readonly receive?: (message: ReadMessage) => Promise<void>
}

const heapMb = 512

/**
 * @throws the signal's reason if it aborts; TaskFailure if parsing fails; errors of `receive`
 */
export async function readInProcess<R extends ReadRequest>(
  request: R,
  access: ReadAccess,
  { signal, receive = async () => undefined }: ReadOptions,
): Promise<Results[R['kind']]> {
  const program = { module: new URL('read-child.ts', import.meta.url), heapMb, isBackground: true, ...access }
  const failed = new AbortController()
  let received: Promise<void> = Promise.resolve()
  try {
    const result = await runTask(program, request, {
      signal: AbortSignal.any([signal, failed.signal]),
      connect: (send) => (message) => {
        received = received.then(() => receive(unpacked(message as ReaderMessage))).then(() => send('written'))
        received.catch((error: unknown) => failed.abort(error))
      },
    })
    await received
    return result as Results[R['kind']] // returned by read-child.ts
  } finally {
    await received.catch(() => undefined)
  }
}

function unpacked(message: ReaderMessage): ReadMessage {
  if (message.kind === 'file') return message
  const items = deserialize(message.items) as Item[] // serialized by read-child.ts
  return { ...message, items, bytes: message.items.length }
}
