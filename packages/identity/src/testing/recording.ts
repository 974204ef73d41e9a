/**
 * Compares responses with those recorded from Kratos, except for IDs, times, tokens, secrets, and addresses, which
 * `recordings.json` contains in masked form. docs/identity.md lists intentional differences.
 */
import { isFields } from '#http/body.ts'
import type { Reply } from '#testing/browser.ts'
import { portalUrl } from '#testing/test-identity.ts'
import recordings from '#testing/recordings.json' with { type: 'json' }

type StoredResponse = Omit<Comparable, 'body'> & { readonly text?: string; readonly body?: unknown }

const nodes: readonly unknown[] = recordings.nodes
const answers: Readonly<Record<string, StoredResponse>> = recordings.answers

/** The recorded response of an exchange, counted from 0. */
export function recordedResponse(name: string, index: number): Comparable {
  const stored = answers[`${name} ${index}`]
  if (!stored) throw new Error(`No recording of ${name} ${index}`)
  const { text, body, ...rest } = stored
  return { ...rest, body: text ?? JSON.stringify(withNodes(body), null, 1) }
}

/** Recorded forms refer to nodes by their index. */
function withNodes(body: unknown): unknown {
  const ui = isFields(body) ? body['ui'] : undefined
  if (!isFields(body) || !isFields(ui) || !Array.isArray(ui['nodes'])) return body
  return { ...body, ui: { ...ui, nodes: ui['nodes'].map((at: number) => nodes[at]) } }
}

/** A response of this service in comparable form. */
export function actualResponse({ status, headers, body }: Reply): Comparable {
  return comparable(status, (header) => [headers[header] ?? []].flat().map(String), body)
}

interface Comparable {
  readonly status: number
  readonly location: string
  readonly contentType: string
  readonly errorId: readonly string[]
  readonly cacheControl: readonly string[]
  readonly cookies: readonly string[]
  /** JSON text, so that the order of keys counts. */
  readonly body: string
}

function comparable(status: number, values: (header: string) => readonly string[], body: unknown): Comparable {
  return {
    status,
    location: mask(values('location')[0] ?? ''),
    // The content type of an empty body is ignored.
    contentType: body === '' ? '' : (values('content-type')[0] ?? ''),
    errorId: values('ory-error-id'),
    cacheControl: values('cache-control'),
    cookies: values('set-cookie')
      .filter((line) => !line.startsWith('glacis_provider=;'))
      .map(cookieShape)
      .toSorted(),
    body: mask(JSON.stringify(normalize(body), null, 1) ?? ''),
  }
}

/** Name and attributes of a cookie, without its value and lifetime. */
function cookieShape(line: string): string {
  const [pair = '', ...attributes] = line.split('; ')
  const name =
    pair
      .split('=')[0]
      ?.replace(/^csrf_token_[0-9a-f]{64}$/, 'csrf_token')
      // This service uses a separate cookie, so that a provider sign-in doesn't overwrite a paused submission.
      .replace('glacis_provider', 'ory_kratos_continuity') ?? ''
  const lasting = attributes.map((attribute) => attribute.replace(/^(Expires|Max-Age)=(?!0$).*/, '$1'))
  return [name, ...lasting].join('; ')
}

/** Keys that depend on Kratos's settings or version. */
const ignoredKeys = new Set(['transient_payload', 'state_changed_at', 'schema_url'])

function normalize(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normalize)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !ignoredKeys.has(key))
      .map(([key, inner]) => [key, key === 'devices' ? ['one device'] : maskNumber(key, normalize(inner))]),
  )
}

function maskNumber(key: string, value: unknown): unknown {
  return typeof value === 'number' && /_unix$|^since$/.test(key) ? `<${key}>` : value
}

function mask(text: string): string {
  return (
    text
      .replaceAll(/http:\/\/(localhost:4499|127\.0\.0\.1:\d+)\/auth/g, '<provider>')
      .replaceAll(/(code_challenge|state)=[^&"]*/g, '$1=<value>')
      .replaceAll(/nonce=[^&"]*&/g, '')
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>')
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>')
      .replaceAll(/\d+\.\d\d minutes/g, '<n> minutes')
      .replaceAll(/"[A-Za-z0-9+/]{86}=="/g, '"<token>"')
      // WebAuthn options: the recordings omit most of them, and a separate test checks them.
      .replaceAll(
        /"(value|onclick)": "(window\.\w+\()?(\{\\"(publicKey|credentialOptions)\\".*\}|<(options|the value)[^"]*>)\)?"/g,
        '"$1": "<options>"',
      )
      .replaceAll(/"[0-9a-f]{64}"/g, '"<key>"')
      .replaceAll(/sha512-[^"]*/g, '<integrity>')
      .replaceAll(/data:image\/png;base64,[^"]*/g, '<picture>')
      .replaceAll(/"[A-Z2-7]{32}"/g, '"<secret>"')
      .replaceAll(/"(text|secret)": "[a-z0-9]{8}"/g, '"$1": "<code>"')
      .replaceAll(/(?<="text": ")((used|[a-z0-9]{8}), ){11}[a-z0-9]{8}/g, (list) =>
        list.replaceAll(/(?!used)[a-z0-9]{4,8}/g, '<code>'),
      )
      .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0000/g, '<time>')
      .replaceAll(/ory_lo_[0-9a-zA-Z]{32}/g, '<logout token>')
      .replaceAll(/"(Send code to )?[^"\s]*@[^"\s]*\.test"/gi, '"$1<address>"')
      .replaceAll(`"${portalUrl}/overview"`, '"<default>"')
      .replaceAll(`"${portalUrl}/"`, '"<default>"')
      .replace(new RegExp(`^${portalUrl}/(overview)?$`), '<default>')
      .replace(/<a href=\\"http:\/\/localhost:3000\/(overview)?\\">/, '<a href="<default>">')
  )
}
