/** Builds the requests of a block by filling in placeholders for each target. */
import type { HttpRequest } from '#net/http-message.ts'
import { toBytes, type Lookup } from '#template/dsl-value.ts'
import { rawBytesOf, rawRequestOf, type Annotations } from '#template/raw.ts'
import { encodeTarget, withoutTrailingSlashes } from '#template/request-target.ts'
import type { HttpBlock } from '#template/template.ts'
import { fillBytes } from '#template/variables.ts'

/** One request of a block. */
export interface RequestBuilder {
  /** The request for a target; null when it can't be sent there. */
  readonly write: (basePath: string, lookup: Lookup) => HttpRequest | null
  /** Raw bytes for a malformed request; null for a normal one. */
  readonly bytes: (basePath: string, lookup: Lookup) => Buffer | null
  /** Delay before sending, in milliseconds. */
  readonly delayMs: number
  readonly annotations: Annotations
}

const noAnnotations: Annotations = { deadlineMs: null, sendsHostAsSni: false, isOnce: false, sni: null }

/** The requests of a block, in order. */
export function requestBuildersOf(block: HttpBlock): readonly RequestBuilder[] {
  const cached = builders.get(block) ?? createBuilders(block)
  builders.set(block, cached)
  return cached
}

function createBuilders(block: HttpBlock): RequestBuilder[] {
  return [
    ...block.paths.map((path): RequestBuilder => ({
      write: (basePath, lookup) => requestOf(block, path, basePath, lookup),
      bytes: () => null,
      delayMs: delayIn(path),
      annotations: noAnnotations,
    })),
    ...block.raws.map((raw): RequestBuilder => ({
      write: (basePath, lookup) => rawRequestOf(raw, basePath, lookup),
      bytes: (_, lookup) => (raw.needsRawBytes ? rawBytesOf(raw, lookup) : null),
      delayMs: delayIn(raw.text),
      annotations: raw.annotations,
    })),
  ]
}

/** Maximum delay that a check may request before a step. */
const DELAY_MS_MAX = 20_000

function delayIn(text: string): number {
  const seconds = /\{\{\s*wait_?for\((\d{1,4})\)/.exec(text)?.[1]
  return Math.min(Number(seconds ?? 0) * 1000, DELAY_MS_MAX)
}

const builders = new WeakMap<HttpBlock, RequestBuilder[]>()

/**
 * The request for a block's path on a target.
 *
 * @param basePath path of the target, which replaces `{{BaseURL}}`
 * @returns null when a placeholder has no value or the URL would leave the target
 */
export function requestOf(block: HttpBlock, path: string, basePath: string, lookup: Lookup): HttpRequest | null {
  const [, name = '', written = ''] = /^\{\{(BaseURL|RootURL)\}\}([^]*)$/.exec(path) ?? []
  const rest = fillBytes(written, lookup)
  const body = block.body === null ? null : fillBytes(block.body, lookup)
  const headers = fillHeaders(block.headers, lookup)
  if (rest === null || headers === null || (block.body !== null && body === null)) return null
  const base = name === 'BaseURL' ? (rest === '' ? basePath : withoutTrailingSlashes(basePath)) : ''
  const whole = encodeTarget(toBytes(base) + rest)
  const target = whole === '' || whole.startsWith('?') ? `/${whole}` : whole
  if (!target.startsWith('/')) return null
  return { method: block.method, path: target, headers, ...(body !== null && { body: Buffer.from(body, 'latin1') }) }
}

function fillHeaders(headers: Readonly<Record<string, string>>, lookup: Lookup): Record<string, string> | null {
  const filled = Object.entries(headers).map(([name, value]) => [name, fillBytes(value, lookup)] as const)
  if (filled.some(([, value]) => value === null)) return null
  return Object.fromEntries(filled.map(([name, value]) => [name, Buffer.from(value ?? '', 'latin1').toString('utf8')]))
}
