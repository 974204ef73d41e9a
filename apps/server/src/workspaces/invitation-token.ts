/** The secret of an invitation's link. It is derived rather than stored, so a copy of the database reveals no link. */
import { createHmac, timingSafeEqual } from 'node:crypto'

export interface InvitationKey {
  readonly id: string
  /** Number of emails sent: each email has its own link. */
  readonly mails: number
}

/** @param secret the secret of the installation */
export function invitationToken(secret: string, { id, mails }: InvitationKey): string {
  return `${id.replaceAll('-', '')}.${mails}.${sign(secret, id, mails)}`
}

/** The invitation that a link names; null if the link wasn't created by this installation. */
export function readInvitationToken(secret: string, token: string): InvitationKey | null {
  const [, hex = '', number = '', given = ''] = /^([0-9a-f]{32})\.(\d{1,6})\.([\w-]{43})$/.exec(token) ?? []
  if (!hex) return null
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  const mails = Number(number)
  const isGenuine = timingSafeEqual(Buffer.from(given), Buffer.from(sign(secret, id, mails)))
  return isGenuine ? { id, mails } : null
}

function sign(secret: string, id: string, mails: number): string {
  return createHmac('sha256', secret).update(`invitation ${id} ${mails}`).digest('base64url')
}
