/** Emails to the members that a comment mentions. */
import { actionMail } from '@glacis/identity'
import { type Log, systemActor } from '#ctx.ts'
import { type Database, inWorkspace } from '#database/index.ts'
import type { Work } from '#jobs.ts'
import type { Mailer } from '#mail.ts'

export interface Mailing {
  readonly database: Database
  readonly mailer: Mailer
  /** The portal's URL. */
  readonly url: string
  readonly log: Log
}

const quoteMax = 500

/**
 * Mails a comment to one member that it mentions, unless the comment was deleted or the member was removed in the
 * meantime.
 *
 * @throws if the email can't be sent, so that the queue retries
 */
export async function deliverMention(
  { database, mailer, url, log }: Mailing,
  { data: { account: workspace, commentId, memberId } }: Pick<Work<'mention'>, 'data'>,
): Promise<void> {
  const row = await inWorkspace(database, { workspace: workspace, actor: systemActor, log }, ({ tx }) =>
    tx
      .selectFrom('issue_comment')
      .innerJoin('member', 'member.account_id', 'issue_comment.account_id')
      .innerJoin('issue', (join) =>
        join.onRef('issue.account_id', '=', 'issue_comment.account_id').onRef('issue.id', '=', 'issue_id'),
      )
      .innerJoin('threat', 'threat.id', 'issue.threat_id')
      .select(['issue_comment.text', 'actor', 'issue_id', 'member.email', 'threat.name as title'])
      .where('issue_comment.account_id', '=', workspace)
      .where('issue_comment.id', '=', commentId)
      .where('member.identity_id', '=', memberId)
      .where('member.left_at', 'is', null)
      .executeTakeFirst(),
  )
  if (!row) return
  const quote = row.text.length > quoteMax ? `${row.text.slice(0, quoteMax)}…` : row.text
  await mailer.deliver(
    actionMail({
      to: row.email,
      subject: `${row.actor} mentioned you: ${row.title}`.replaceAll(/\p{Cc}+/gu, ' ').slice(0, 200),
      intro: `${row.actor} mentioned you in a comment on the risk ${row.title}: “${quote}”`,
      link: { url: new URL(`/risks/${row.issue_id}`, url).href, title: 'View risk' },
      footer: "You're receiving this email because you're a member of the workspace.",
    }),
  )
}
