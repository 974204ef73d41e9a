/** An anonymous SMB 2 session, if the server grants one. */
import { listShares, type Exchange, type ListedShare } from '#native/smb-pipe.ts'
import { listUsers } from '#native/smb-users.ts'
import {
  commands,
  exchange,
  moreProcessing,
  sessionBody,
  smb2Message,
  spnegoAnonymous,
  spnegoInit,
  treeBody,
  type Smb2Head,
} from '#native/smb-wire.ts'
import type { TcpConnection } from '#net/tcp.ts'

/** A session with numbered messages; the server assigns its ID in the first login response. */
export interface Session {
  id: Buffer
  send(command: number, body: Buffer, treeId?: number): Promise<Smb2Head | undefined>
}

export function sessionOn(connection: TcpConnection): Session {
  let count = 0
  return {
    id: Buffer.alloc(8),
    send(command, body, treeId) {
      return exchange(connection, smb2Message(command, count++, this.id, body, treeId))
    },
  }
}

/** @returns undefined when the server stopped responding */
export async function logInAnonymously(session: Session): Promise<boolean | undefined> {
  const challenge = await session.send(commands.sessionSetup, sessionBody(spnegoInit()))
  if (challenge?.status !== moreProcessing) return challenge && false
  session.id = Buffer.from(challenge.sessionId)
  const loggedIn = await session.send(commands.sessionSetup, sessionBody(spnegoAnonymous()))
  return loggedIn && loggedIn.status === 0
}

export async function listedShares(
  session: Session,
  address: string,
): Promise<readonly ListedShare[] | null | undefined> {
  return onPipes(session, address, (exchange) => listShares(exchange, address))
}

export async function listedUsers(session: Session, address: string): Promise<readonly string[] | null | undefined> {
  return onPipes(session, address, (exchange) => listUsers(exchange, address))
}

/** Many servers allow anonymous access to IPC$; what matters is whether its pipes respond. */
async function onPipes<Value>(
  session: Session,
  address: string,
  talk: (exchange: Exchange) => Promise<Value>,
): Promise<Value | null | undefined> {
  const tree = await session.send(commands.treeConnect, treeBody(`\\\\${address}\\IPC$`))
  if (!tree) return undefined
  if (tree.status !== 0) return null
  return talk((command, body) => session.send(command, body, tree.treeId))
}
