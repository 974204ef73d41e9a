/** An anonymous SMB 2 session, as far as the server grants one. */
import { listShares, type ListedShare } from '#native/smb-pipe.ts'
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

/** Many servers allow anonymous access to IPC$; what matters is whether its pipes respond. */
export async function listedShares(
  session: Session,
  address: string,
): Promise<readonly ListedShare[] | null | undefined> {
  const tree = await session.send(commands.treeConnect, treeBody(`\\\\${address}\\IPC$`))
  if (!tree) return undefined
  if (tree.status !== 0) return null
  return listShares((command, body) => session.send(command, body, tree.treeId), address)
}
