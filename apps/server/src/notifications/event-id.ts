/**
 * Opaque IDs of events. Transactions and events are counted across all workspaces, so the numbers themselves would reveal
 * the activity of other workspaces. An ID is one encrypted block, with a key per workspace: a stream can resume from
 * it, but clients can neither read it nor compare it with others.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** A position in a workspace's event stream: transaction and sequence number. */
export interface StreamPosition {
  readonly xid: string
  readonly id: number
}

/** Random until `encryptEventIdsWith` is called, so IDs are then valid only within this process. */
let secret: string | Buffer = randomBytes(32)

/** Sets the secret, which is shared by all processes and survives restarts. */
export function encryptEventIdsWith(installationSecret: string): void {
  secret = installationSecret
}

/** The 128 bits of a position, encrypted, in base64url. */
export function eventId(workspace: string, { xid, id }: StreamPosition): string {
  const block = Buffer.alloc(16)
  block.writeBigUInt64BE(BigInt(xid), 0)
  block.writeBigUInt64BE(BigInt(id), 8)
  const cipher = createCipheriv('aes-256-ecb', keyOf(workspace), null).setAutoPadding(false)
  return Buffer.concat([cipher.update(block), cipher.final()]).toString('base64url')
}

/** The position of an ID; null for a malformed ID. The ID of another workspace yields an arbitrary position. */
export function readEventId(workspace: string, text: string): StreamPosition | null {
  if (!/^[\w-]{22}$/.test(text)) return null
  const decipher = createDecipheriv('aes-256-ecb', keyOf(workspace), null).setAutoPadding(false)
  const block = Buffer.concat([decipher.update(Buffer.from(text, 'base64url')), decipher.final()])
  return { xid: String(block.readBigUInt64BE(0)), id: Number(block.readBigUInt64BE(8)) }
}

function keyOf(workspace: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `event id ${workspace}`, 32))
}
