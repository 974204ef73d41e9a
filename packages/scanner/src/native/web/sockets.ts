/**
 * WebSocket endpoints of an application that accept other websites or send internal data to any client. Messages of our
 * own are never sent: to some applications, any text is a command.
 */
import { randomBytes } from 'node:crypto'
import { jsonIn } from '#native/json.ts'
import { checkInfo, type NativeCheck, type NativeContext, type Proof } from '#native/native-check.ts'
import { personalMember } from '#native/web/personal-data.ts'
import { kindOf, namedRecordsIn, recordsIn } from '#native/web/record-kinds.ts'
import { readPages } from '#native/web/site-pages.ts'
import { isChanging } from '#native/web/verbs.ts'
import { ownHost, requestWeb, type WebResponse } from '#native/web/request.ts'
import { readSite, type WebSite } from '#native/web/site.ts'
import type { TcpConnection } from '#net/tcp.ts'
import {
  endHandshake,
  framesAfterHandshake,
  hasMessage,
  isClosing,
  isHandshakeAnswered,
  messagesOf,
  textFrameOf,
  upgradeRequest,
} from '#net/web-socket.ts'

export const foreignOrigin = checkInfo({
  id: 'websocket-foreign-origin',
  name: 'WebSocket with session cookies accepts other websites',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:R/S:U/C:H/I:L/A:N',
  score: 5.9,
  summary:
    'A WebSocket endpoint accepts connections from pages of another website, and the session cookie of the application has no `SameSite` attribute that prevents browsers from sending it along.',
  impact: "An attacker who gets a user to visit a website can read and send messages on the user's behalf.",
  remediation:
    'Compare the `Origin` header of the handshake with a list of your own websites, and set `SameSite=Lax` or `Strict` for the session cookie.',
  reference: 'https://cheatsheetseries.owasp.org/cheatsheets/WebSocket_Security_Cheat_Sheet.html',
  tags: 'misconfig websocket cors',
  verifiedOn: 'express-websocket',
})
export const streamedData = checkInfo({
  id: 'websocket-data-exposed',
  name: 'WebSocket sends internal data without authentication',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 7.5,
  summary:
    'A WebSocket endpoint of the application sends personal data, credentials, internal records, or lines of a log to clients without a session. The check sent only messages that the scripts of the application send to subscribe.',
  impact: 'An attacker can read everything that the application sends to its users, in real time.',
  remediation: 'Verify a session or token during the handshake, before the first message is sent.',
  reference: 'https://cwe.mitre.org/data/definitions/306.html',
  tags: 'exposure websocket unauth',
  verifiedOn: 'express-tickets express-websocket websocket-texts',
})

export const webSockets: NativeCheck = {
  checks: [foreignOrigin, streamedData],
  isPerFolder: true,
  appliesTo: ({ protocol }) => protocol === 'http',
  async run(context) {
    const site = await readSite(context)
    if (!site) return {}
    const { pages, scripts } = await readPages(context, site)
    const texts = [...pages.map(({ body }) => body), ...scripts].filter((text) =>
      /WebSocket|socket\.io|\bio\(/.test(text),
    )
    const cookie = await crossSiteCookie(context, pages)
    const messages = subscriptionsIn(texts)
    let accepted: Proof | null = null
    let streamed: Proof | null = null
    let opened = 0
    for (const path of endpointsIn(texts, site)) {
      const conversation = await talk(context, path, { messages, cookie })
      // Some servers leave a handshake with an unknown path unanswered, which takes time.
      if (conversation === 'silent') break
      if (!conversation) continue
      if (cookie !== undefined && conversation.isAccepted) accepted ??= originProof(conversation, cookie, path)
      streamed ??= dataProof(conversation, path)
      if (++opened === openedMax) break
    }
    return { [foreignOrigin.id]: accepted, [streamedData.id]: streamed }
  },
}

const endpointsMax = 5
const openedMax = 2
const declared = /\bnew (?:[\w.]{1,40}\.)?WebSocket\(([^;\n]{1,240})/g
const named =
  /["'`](?:wss?:\/\/[^/"'`\s]{1,100})?(\/(?:[\w-]{1,40}\/){0,4}(?:[\w-]{0,20}(?:ws|websocket|socket|stream|live|events|feed|cable)[\w-]{0,20})\/?)["'`?]/gi
const socketIo = '/socket.io/?EIO=4&transport=websocket'

/** Paths that scripts name, and the usual ones. */
function endpointsIn(texts: readonly string[], { base }: WebSite): readonly string[] {
  const opened = texts.flatMap((text) =>
    [...text.matchAll(declared).take(20)].flatMap(([, argument = '']) => {
      const [, path] = /["'`}](?:wss?:\/\/[^/"'`\s]{1,100})?(\/[\w./-]{1,120})["'`?]/.exec(argument) ?? []
      return path ?? []
    }),
  )
  const others = texts.flatMap((text) => [...text.matchAll(named).take(20)].map(([, path = '']) => path))
  const usual = texts.some((text) => /socket\.io|\bio\(/.test(text)) ? [socketIo] : []
  return [...new Set([...opened, ...usual, ...others, `${base}ws`])].slice(0, endpointsMax)
}

const subscription = /\.send\(\s{0,9}(?:JSON\.stringify\(\s{0,9}(\{[^{}]{1,200}\})|(["'`])([^"'`$\n]{1,200})\2)/g
const reading = /\b(?:auth|hello|history|init|join|latest|list|listen|ping|ready|recent|status|subscribe|watch)\b/i
const messagesMax = 3

/** Messages that scripts send, if they have no variable parts and only ask for data. */
function subscriptionsIn(texts: readonly string[]): readonly string[] {
  const found = texts.flatMap((text) =>
    [...text.matchAll(subscription).take(20)].flatMap(([, object, , plain]) =>
      object === undefined ? (plain ?? []) : literalJson(object),
    ),
  )
  return [...new Set(found)].filter((text) => reading.test(text) && !isChanging(text)).slice(0, messagesMax)
}

/** JSON of an object literal in JavaScript whose values are texts or numbers. */
function literalJson(object: string): string[] {
  const quoted = object
    .replaceAll(/([{,]\s{0,9})([a-z_$][\w$]{0,40})\s{0,9}:/gi, '$1"$2":')
    .replaceAll(/'([^'"]{0,100})'/g, '"$1"')
    .replace(/,\s{0,9}\}$/, '}')
  const value = jsonIn(quoted)
  return value === undefined ? [] : [JSON.stringify(value)]
}

const sessionName = /sess|sid|auth|token|jwt|login/i
const valueLengthMin = 12
const isHeldBack = /;\s{0,9}samesite\s{0,3}=\s{0,3}(?:lax|strict)/i

/** A session cookie that browsers send with requests of other websites, as the site sets it. */
async function crossSiteCookie(
  context: NativeContext,
  pages: readonly Pick<WebResponse, 'headers'>[],
): Promise<string | undefined> {
  const login = await requestWeb(context, { target: '/login' })
  const cookies = [...pages, ...(login ? [login] : [])].flatMap(({ headers }) =>
    headers.flatMap(([name, value]) => (name.toLowerCase() === 'set-cookie' ? value : [])),
  )
  return cookies.find((cookie) => {
    const [pair = ''] = cookie.split(';', 1)
    const [name = '', value = ''] = pair.split('=', 2)
    return sessionName.test(name) && value.length >= valueLengthMin && !isHeldBack.test(cookie)
  })
}

interface Conversation {
  readonly request: string
  readonly answer: string
  readonly messages: readonly string[]
  /** The server neither closed the connection nor rejected the client of Socket.IO. */
  readonly isAccepted: boolean
}

const readOptions = { firstByteMs: 1500, idleMs: 300, totalMs: 3000, bytesMax: 65_536 }
const dataMs = 1500

/** Opens the socket as a page of another website would; undefined if the server rejects it. */
async function talk(
  context: NativeContext,
  path: string,
  { messages, cookie }: { readonly messages: readonly string[]; readonly cookie: string | undefined },
): Promise<Conversation | 'silent' | undefined> {
  const fields = [
    `Origin: https://${randomBytes(6).toString('hex')}.example`,
    ...(cookie === undefined ? [] : [`Cookie: ${cookie.split(';', 1)[0]}`]),
  ]
  const request = upgradeRequest(ownHost(context), path, fields)
  return context.withConnection(async (connection) => {
    try {
      connection.write(request)
      const isSocketIo = path.includes('EIO=')
      const conversation = await converse(connection, request, isSocketIo ? ['40'] : messages)
      if (typeof conversation !== 'object' || !isSocketIo) return conversation
      return { ...conversation, isAccepted: conversation.messages.some((message) => /^40(?:\{|$)/.test(message)) }
    } finally {
      endHandshake(connection)
    }
  })
}

async function converse(
  connection: TcpConnection,
  request: string,
  messages: readonly string[],
): Promise<Conversation | 'silent' | undefined> {
  const answered = await connection.read({ ...readOptions, enough: isHandshakeAnswered })
  if (answered.length === 0 && connection.isAlive) return 'silent'
  if (!framesAfterHandshake(answered)) return undefined
  const firstByteMs = hasMessage(answered) ? 300 : dataMs
  const greeting = await connection.read({ firstByteMs, idleMs: 300, totalMs: dataMs })
  for (const message of messages) connection.write(textFrameOf(message))
  const read = () => connection.read({ firstByteMs: dataMs, idleMs: 500, totalMs: dataMs })
  const replies = messages.length > 0 ? await read() : Buffer.alloc(0)
  const frames = framesAfterHandshake(Buffer.concat([answered, greeting, replies])) ?? Buffer.alloc(0)
  const texts = messagesOf(frames).map((message) => message.toString())
  const [head = ''] = answered.toString('latin1').split('\r\n\r\n', 1)
  const isAccepted = connection.isAlive && !isClosing(frames)
  return { request, answer: [head, '', ...texts].join('\n'), messages: texts, isAccepted }
}

function originProof({ request, answer }: Conversation, cookie: string, path: string): Proof {
  const origin = /^Origin: .{1,80}$/m.exec(request)?.[0] ?? ''
  return {
    request,
    answer: `${answer}\nSet-Cookie: ${cookie}`,
    highlights: [origin, answer.split('\n', 1)[0] ?? ''],
    path,
  }
}

function dataProof({ request, answer, messages }: Conversation, path: string): Proof | null {
  const kind = kindOf(path.split('?', 1)[0] ?? '')
  for (const message of messages) {
    // Socket.IO puts the type of the packet before the content, and the name of the event in it.
    const text = message.replace(/^\d{1,4}(?=[[{])/, '')
    const found =
      personalMember(text, 'record') ??
      namedRecordsIn(text) ??
      internalText(text) ??
      (kind && (recordsIn(text, kind) ?? recordsIn(`[${text}]`, kind)))
    if (found !== undefined) return { request, answer, highlights: [found], path }
  }
  return null
}

/** A secret next to its name, in a text or JSON. */
const namedSecret =
  /\b(?:(?:password|passwd|passphrase|secret|api[ _-]?key|(?:access|auth)[ _-]?token)\b["']?(?:\s{0,3}[:=]|\s{1,3}is\b|\s)\s{0,3}["']?(?=[^\s"']{0,40}\d)(?=[^\s"']{0,40}[a-z])[^\s"',;]{6,80}|(?:access|door|entry|gate|operator|security)[ _-](?:code|key|pin)\b["']?\s{0,3}[:=]?\s{0,3}["']?(?=[\w-]{0,20}\d)[\w-]{4,40})/i
/** The start of a line in a log: the time and the level in either order. */
const logLine =
  /^[[\s]{0,3}(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[\dZ.,:+\]-]{0,20}\s[^\n]{0,40}?\b(?:DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL)\b|(?:DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL)\b[^\n]{0,20}?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)/i
const logEntry =
  /^\{(?=[^\n]{0,2000}"(?:level|severity)"\s{0,3}:)(?=[^\n]{0,2000}"(?:ts|time|timestamp)"\s{0,3}:)[^\n]{0,2000}?("(?:msg|message)"\s{0,3}:)/

/** What only operators should see: secrets, and lines of a log. */
function internalText(text: string): string | undefined {
  return namedSecret.exec(text)?.[0] ?? logLine.exec(text)?.[0] ?? logEntry.exec(text)?.[1]
}
