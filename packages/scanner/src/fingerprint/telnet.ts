/** Negotiates the options of a Telnet server (RFC 854). Many servers greet only then. */
import type { TcpConnection } from '#net/tcp.ts'

const [subEnd, subBegin, will, wont, toDo, toDont, command] = [240, 250, 251, 252, 253, 254, 255]
const terminalType = 24
/** Binary transmission, echo, and suppressed go-ahead. */
const acceptedFromServer = new Set([0, 1, 3])
/** Binary transmission, suppressed go-ahead, and the terminal type. */
const acceptedByClient = new Set([0, 3, terminalType])
const roundsMax = 6
const textMax = 8192

/** Whether a greeting consists of commands only. */
export function isNegotiationOnly(received: Buffer): boolean {
  return textOf(received).trim() === ''
}

/** @returns the text that the server shows after the negotiation, up to its prompt */
export async function negotiateTelnet(connection: TcpConnection): Promise<string> {
  const answered = new Set<string>()
  let text = ''
  for (let round = 0; round < roundsMax && text.length < textMax; round++) {
    const received = await connection.read({ firstByteMs: 1500, idleMs: 300, totalMs: 3000, bytesMax: textMax })
    if (received.length === 0) break
    text += textOf(received)
    const reply = answersTo(received, answered)
    if (reply.length > 0) connection.write(reply)
    else if (text.trim() !== '') break
  }
  return text.slice(0, textMax)
}

/** Each option is answered once, because servers that repeat themselves would otherwise do so forever. */
function answersTo(received: Buffer, answered: Set<string>): Buffer {
  const reply: number[] = []
  for (const { verb, option } of commandsIn(received)) {
    const key = `${verb} ${option}`
    if (answered.has(key)) continue
    answered.add(key)
    if (verb === toDo) reply.push(command, acceptedByClient.has(option) ? will : wont, option)
    else if (verb === will) reply.push(command, acceptedFromServer.has(option) ? toDo : toDont, option)
    else if (verb === subBegin && option === terminalType)
      reply.push(command, subBegin, terminalType, 0, ...Buffer.from('vt100'), command, subEnd)
  }
  return Buffer.from(reply)
}

function commandsIn(received: Buffer): { readonly verb: number; readonly option: number }[] {
  const found: { verb: number; option: number }[] = []
  let at = received.indexOf(command)
  while (at >= 0 && at + 2 < received.length) {
    found.push({ verb: received[at + 1] ?? 0, option: received[at + 2] ?? 0 })
    at = received.indexOf(command, lengthAt(received, at) + at)
  }
  return found
}

function textOf(received: Buffer): string {
  let text = ''
  for (let at = 0; at < received.length;) {
    const isCommand = received[at] === command
    if (!isCommand) text += String.fromCharCode(received[at] ?? 0)
    at += isCommand ? lengthAt(received, at) : 1
  }
  return text.replaceAll('\0', '')
}

/** The length of a command; that of a parameter includes its end. */
function lengthAt(received: Buffer, at: number): number {
  const verb = received[at + 1]
  if (verb === subBegin) {
    const end = received.indexOf(Buffer.from([command, subEnd]), at + 2)
    return end < 0 ? received.length - at : end + 2 - at
  }
  return verb !== undefined && verb >= will && verb <= toDont ? 3 : 2
}
