/** Sends the emails of invitations. */
import { invitationDays } from '@glacis/contract/invitation'
import { actionMail } from '@glacis/identity'
import { type Log, systemActor } from '#ctx.ts'
import { type Database, inWorkspace } from '#database/index.ts'
import type { Mailer } from '#mail.ts'
import type { Work } from '#jobs.ts'
import { invitationToken } from '#workspaces/invitation-token.ts'

export interface InvitationMailing {
  readonly database: Database
  readonly mailer: Mailer
  /** The portal's URL. */
  readonly url: string
  /** The secret of the installation. */
  readonly secret: string
  readonly log: Log
}

/**
 * Sends the email of an invitation, unless it was revoked or used in the meantime.
 *
 * @throws if it can't be sent, so that the queue retries
 */
export async function deliverInvitation(
  { database, mailer, url, secret, log }: InvitationMailing,
  { data }: Pick<Work<'invitation'>, 'data'>,
): Promise<void> {
  const row = await inWorkspace(database, { workspace: data.account, actor: systemActor, log }, ({ tx }) =>
    tx
      .selectFrom('invitation')
      .innerJoin('workspace', 'workspace.id', 'invitation.account_id')
      .select(['invitation.id', 'mails', 'email', 'role', 'invited_by', 'workspace.name'])
      .where('account_id', '=', data.account)
      .where('invitation.id', '=', data.invitationId)
      .where('accepted_at', 'is', null)
      .where('revoked_at', 'is', null)
      .executeTakeFirst(),
  )
  if (!row) return
  const link = new URL('/invitation', url)
  link.searchParams.set('token', invitationToken(secret, row))
  await mailer.deliver(
    actionMail({
      to: row.email,
      subject: `${row.invited_by} invited you to ${row.name}`.replace(/[\r\n]+/g, ' '),
      intro: `${row.invited_by} invited you to ${row.name} on Glacis with the role ${row.role}. Sign in or sign up as ${row.email} to accept.`,
      link: { url: link.href, title: 'View invitation' },
      footer: `The link is valid for ${invitationDays} days and works once. If you don't know the sender, you can ignore this email.`,
    }),
  )
}
