/** Parses the protocol blocks of a template. Rejects anything that isn't fully supported. */
import {
  at,
  commaTexts,
  firstOf,
  flag,
  items,
  keysOf,
  onlyKeys,
  reject,
  text,
  integer,
  type Node,
} from '#template/parse-node.ts'
import { readOperators, rejectUnsupportedGadget } from '#template/parse-operators.ts'
import { readPayloads, type ReadList } from '#template/payloads.ts'
import { readRawText, type RawText } from '#template/raw.ts'
import type { Scope } from '#template/scope.ts'
import type {
  DnsBlock,
  HttpBlock,
  NetworkBlock,
  NetworkHost,
  NetworkInput,
  RedirectPolicy,
  SslBlock,
  TlsVersion,
} from '#template/template.ts'
import { isKnownVariable, placeholdersOf } from '#template/variables.ts'
import { recordTypes } from '#net/resolver.ts'

const REDIRECTS_MAX = 10
const PATHS_MAX = 500
const READ_BYTES_MAX = 64 * 1024

const operatorKeys = ['id', 'name', 'matchers', 'matchers-condition', 'extractors']
const httpKeys = new Set([
  ...operatorKeys,
  ...'method path raw payloads attack req-condition headers body redirects host-redirects max-redirects stop-at-first-match max-size threads'.split(
    ' ',
  ),
  ...'disable-path-automerge skip-variables-check cookie-reuse disable-cookie read-all unsafe iterate-all'.split(' '),
])
const networkKeys = new Set([
  ...operatorKeys,
  ...'host port inputs payloads attack threads read-size read-all exclude-ports stop-at-first-match'.split(' '),
])
const inputKeys = new Set(['data', 'type', 'read', 'name'])
const sslKeys = new Set([...operatorKeys, 'address', 'min_version', 'max_version'])

/** Template properties needed by its blocks. */
export interface HttpContext {
  readonly scope: Scope
  readonly readList: ReadList
  /** A block in a multi-block template doesn't need matchers. */
  readonly isOneOfMany: boolean
}

/** @throws UnsupportedFeature */
export function readHttp(block: Node, { scope, readList, isOneOfMany }: HttpContext): HttpBlock {
  for (const feature of ['fuzzing', 'race', 'pipeline', 'global-matchers', 'digest-username']) {
    if (at(block, feature).value !== undefined) reject(at(block, feature), feature)
  }
  onlyKeys(block, httpKeys)
  const isLenient = flag(at(block, 'skip-variables-check'))
  const paths = items(at(block, 'path')).map((path) => readPath(path, scope))
  const isUnsafe = flag(at(block, 'unsafe'))
  const raws = items(at(block, 'raw')).map((raw) => readRaw(raw, block, { scope: isLenient ? null : scope, isUnsafe }))
  if (paths.length > 0 && raws.length > 0) reject(at(block, 'raw'), 'invalid', 'both path and raw')
  const count = paths.length + raws.length
  if (count === 0 || count > PATHS_MAX)
    reject(at(block, 'path'), 'invalid', `a block must have 1 to ${PATHS_MAX} requests`)
  const body = at(block, 'body')
  return {
    method: text(at(block, 'method'), 'GET'),
    paths,
    raws,
    isUnsafe: isUnsafe || raws.some(({ needsRawBytes }) => needsRawBytes),
    payloads: readPayloads(block, readList),
    keepsCookies: !flag(at(block, 'disable-cookie')),
    headers: readHeaders(at(block, 'headers'), scope),
    body: body.value === undefined ? null : resolvedText(body, scope),
    redirects: redirectPolicy(block),
    redirectsMax: Math.min(integer(at(block, 'max-redirects'), REDIRECTS_MAX) || REDIRECTS_MAX, REDIRECTS_MAX),
    stopsAtFirstMatch: flag(at(block, 'stop-at-first-match')),
    bodyBytesMax: integer(at(block, 'max-size'), null),
    operators: readOperators(block, isOneOfMany),
  }
}

/** A path must start with the target's URL, so that no other host is ever requested. */
function readPath(node: Node, scope: Scope): string {
  const path = resolvedText(node, scope)
    .trimStart()
    .replace(/^https?:\/\/\{\{Hostname\}\}(?=\/|$)/, '{{RootURL}}')
  if (!/^\{\{(BaseURL|RootURL)\}\}/.test(path))
    reject(node, 'a hard-coded host', `a path that does not start with {{BaseURL}}`)
  return path
}

function readHeaders(node: Node, scope: Scope): Record<string, string> {
  return Object.fromEntries(keysOf(node).map((name) => [name, resolvedText(at(node, name), scope)]))
}

/** @param options `scope` is null when placeholders without a value are sent unchanged */
function readRaw(node: Node, block: Node, options: { scope: Scope | null; isUnsafe: boolean }): RawText {
  const { scope, isUnsafe } = options
  const raw = readRawText(scope ? resolvedText(node, scope) : text(node), isUnsafe)
  if (typeof raw === 'string') return reject(node, raw)
  return { ...raw, isMerged: !flag(at(block, 'disable-path-automerge')), isLenient: scope === null }
}

function redirectPolicy(block: Node): RedirectPolicy {
  if (flag(at(block, 'host-redirects'))) return 'same-origin'
  return flag(at(block, 'redirects')) ? 'target' : 'none'
}

/** @throws UnsupportedFeature */
export function readNetwork(block: Node, { scope, readList, isOneOfMany }: HttpContext): NetworkBlock {
  onlyKeys(block, networkKeys)
  const inputs = items(at(block, 'inputs')).map((input) => readInput(input, scope))
  return {
    hosts: items(at(block, 'host')).map(readHost),
    ports: commaTexts(at(block, 'port')).flatMap((text) => readPort(text, at(block, 'port'))),
    inputs,
    payloads: readPayloads(block, readList),
    readBytesMax: Math.min(integer(at(block, 'read-size'), 1024) || 1024, READ_BYTES_MAX),
    operators: readOperators(block, isOneOfMany),
  }
}

function readHost(node: Node): NetworkHost {
  const [, tls, port] =
    /^(tls:\/\/)?\{\{(?:Hostname|Host)\}\}(?::(\d+|\{\{Port\}\}))?$/.exec(text(node)) ??
    reject(node, 'a hard-coded host')
  return { tls: tls !== undefined, port: port === undefined || port === '{{Port}}' ? null : Number(port) }
}

function readPort(written: string, node: Node): number[] {
  if (written === '{{Port}}') return []
  const port = Number(written)
  return Number.isInteger(port) && port > 0 && port < 65_536
    ? [port]
    : reject(node, 'invalid', `not a port: ${written.slice(0, 20)}`)
}

function readInput(node: Node, scope: Scope): NetworkInput {
  onlyKeys(node, inputKeys)
  const type = text(at(node, 'type'), 'text')
  if (type !== 'text' && type !== 'hex') reject(at(node, 'type'), `the input type ${type}`)
  const data = at(node, 'data').value === undefined ? '' : resolvedText(at(node, 'data'), scope)
  const read = integer(at(node, 'read'), null)
  return {
    data,
    isHex: type === 'hex',
    readBytesMax: read === null || read === 0 ? null : Math.min(read, READ_BYTES_MAX),
    name: text(at(node, 'name'), ''),
  }
}

const versions: Readonly<Record<string, TlsVersion>> = {
  ssl30: 'SSLv3',
  tls10: 'TLSv1',
  tls11: 'TLSv1.1',
  tls12: 'TLSv1.2',
  tls13: 'TLSv1.3',
}

/** @throws UnsupportedFeature */
export function readSsl(block: Node, isOneOfMany: boolean): SslBlock {
  onlyKeys(block, sslKeys)
  const address = firstOf(block, 'address')
  if (!/^\{\{(Host|Hostname)\}\}(:\{\{Port\}\})?$/.test(text(address, '{{Host}}:{{Port}}')))
    reject(address, 'a hard-coded host')
  return {
    minVersion: readVersion(at(block, 'min_version')),
    maxVersion: readVersion(at(block, 'max_version')),
    operators: readOperators(block, isOneOfMany),
  }
}

function readVersion(node: Node): TlsVersion | null {
  if (node.value === undefined) return null
  const name = text(node)
  return versions[name] ?? reject(node, `${name.slice(0, 20)}`)
}

const dnsKeys = new Set([...operatorKeys, ...'name type class recursion retries trace trace-max-recursion'.split(' ')])

/** @throws UnsupportedFeature; resolvers named by a template are never used */
export function readDns(block: Node, scope: Scope): DnsBlock {
  onlyKeys(block, dnsKeys)
  const type = text(at(block, 'type'), 'A').toUpperCase()
  if (!recordTypes.has(type)) reject(at(block, 'type'), `the record type ${type.slice(0, 20)}`)
  return { name: resolvedText(at(block, 'name'), scope), type, operators: readOperators(block) }
}

/** @throws UnsupportedFeature when a template variable depends on an undefined one */
export function checkVariables(root: Node, scope: Scope): void {
  for (const group of [at(root, 'constants'), at(root, 'variables')])
    for (const name of keysOf(group)) resolvedText(at(group, name), scope)
}

/** Text in which every placeholder can be resolved. */
function resolvedText(node: Node, scope: Scope): string {
  const written = text(node).replace(/§([\w-]+)§/g, (mark, name: string) => (scope.has(name) ? `{{${name}}}` : mark))
  for (const placeholder of placeholdersOf(written)) {
    if (typeof placeholder === 'string') reject(node, 'placeholder', `a placeholder with ${placeholder}`)
    rejectUnsupportedGadget(placeholder, node)
    for (const name of placeholder.names) {
      if (!isKnownVariable(name) && !scope.has(name)) scope.missingValues.add(name)
    }
  }
  if (/§/.test(written)) reject(node, 'a payload marker (§)')
  return written
}

/** @throws UnsupportedFeature for text that relies on unsupported preprocessing */
export function rejectUnsupported(root: Node): void {
  const kinds = ['headless', 'code', 'javascript', 'file', 'workflows', 'websocket', 'whois']
  for (const kind of kinds) if (at(root, kind).value !== undefined) reject(at(root, kind), kind)
  for (const feature of ['signature', 'self-contained', 'dynamic-section']) {
    if (at(root, feature).value !== undefined) reject(at(root, feature), feature)
  }
}
