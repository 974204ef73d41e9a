/**
 * Recorded answers of the service that we are compatible with, and what of an answer must be the same:
 * everything but ids, times, tokens, secrets and addresses. `recordings.json` holds them in that form;
 * docs/identity.md names where we answer otherwise on purpose.
 */
import { isFields } from '#http/body.ts'
import type { Reply } from '#testing/browser.ts'
import { portalUrl } from '#testing/test-identity.ts'
import recordings from '#testing/recordings.json' with { type: 'json' }

type Kept = Omit<Comparable, 'body'> & { readonly text?: string; readonly body?: unknown }

const nodes: readonly unknown[] = recordings.nodes
const answers: Readonly<Record<string, Kept>> = recordings.answers

/** The recorded answer of one exchange of a recording, counted from 0. */
export function recordedAnswer(name: string, index: number): Comparable {
  const kept = answers[`${name} ${index}`]
  if (!kept) throw new Error(`There is no recording of ${name} ${index}`)
  const { text, body, ...rest } = kept
  return { ...rest, body: text ?? JSON.stringify(withNodes(body), null, 1) }
}

/** Forms name their nodes by the place in the list. */
function withNodes(body: unknown): unknown {
  const ui = isFields(body) ? body['ui'] : undefined
  if (!isFields(body) || !isFields(ui) || !Array.isArray(ui['nodes'])) return body
  return { ...body, ui: { ...ui, nodes: ui['nodes'].map((at: number) => nodes[at]) } }
}

/** Our own answer in the same form. */
export function ownAnswer({ status, headers, body }: Reply): Comparable {
  return comparable(status, (wanted) => [headers[wanted] ?? []].flat().map(String), body)
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
    location: masked(values('location')[0] ?? ''),
    // What stands in an empty answer is of no interest.
    contentType: body === '' ? '' : (values('content-type')[0] ?? ''),
    errorId: values('ory-error-id'),
    cacheControl: values('cache-control'),
    cookies: values('set-cookie')
      .filter((line) => !line.startsWith('glacis_provider=;'))
      .map(cookieShape)
      .toSorted(),
    body: masked(JSON.stringify(common(body), null, 1) ?? ''),
  }
}

/** Name and attributes of a cookie; values and lifetimes are each service's own. */
function cookieShape(line: string): string {
  const [pair = '', ...attributes] = line.split('; ')
  const name =
    pair
      .split('=')[0]
      ?.replace(/^csrf_token_[0-9a-f]{64}$/, 'csrf_token')
      // Ours has a name of its own, so that a change that waits for a sign-in by another service is not lost.
      .replace('glacis_provider', 'ory_kratos_continuity') ?? ''
  const lasting = attributes.map((attribute) => attribute.replace(/^(Expires|Max-Age)=(?!0$).*/, '$1'))
  return [name, ...lasting].join('; ')
}

/** Keys that other settings or releases add, and this service leaves out or always has. */
const foreignKeys = new Set(['transient_payload', 'state_changed_at', 'schema_url'])

function common(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(common)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !foreignKeys.has(key))
      .map(([key, inner]) => [key, key === 'devices' ? ['one device'] : numbers(key, common(inner))]),
  )
}

function numbers(key: string, value: unknown): unknown {
  return typeof value === 'number' && /_unix$|^since$/.test(key) ? `<${key}>` : value
}

function masked(text: string): string {
  return (
    text
      .replaceAll(/http:\/\/(localhost:4499|127\.0\.0\.1:\d+)\/auth/g, '<provider>')
      .replaceAll(/(code_challenge|state)=[^&"]*/g, '$1=<value>')
      .replaceAll(/nonce=[^&"]*&/g, '')
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>')
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>')
      .replaceAll(/\d+\.\d\d minutes/g, '<n> minutes')
      .replaceAll(/"[A-Za-z0-9+/]{86}=="/g, '"<token>"')
      // What authenticators are asked: the recordings leave most of it out, and one test looks into it.
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
