/** Job queues and outgoing email, for administrators. */
import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/installation'
import { actionMail } from '@glacis/identity'
import { notFound } from '#errors.ts'
import type { Visit } from '#ctx.ts'
import type { Administration } from '#installation/administration.ts'

export async function listQueues({
  database: { owner },
  jobs,
}: Administration): Promise<ResultOf<typeof contract.listQueues>> {
  const [queues, failed] = await Promise.all([jobs.counts(owner), jobs.failed(owner)])
  return {
    queues: queues.toSorted((a, b) => a.name.localeCompare(b.name)),
    failedJobs: failed.map(({ failedAt, ...job }) => ({ ...job, failTime: failedAt.toISOString() })),
  }
}

/** @throws ApiError `not_found` unless the job has failed and is still kept */
export async function retryJob(
  { database: { owner }, jobs }: Administration,
  { person, log }: Visit,
  { id }: ParsedInputOf<typeof contract.retryJob>,
): Promise<Record<string, never>> {
  const queue = await jobs.retry(owner, id)
  if (queue === null) throw notFound('failed job', id)
  log.info({ queue, job: id, administrator: person.identityId }, 'failed job retried')
  return {}
}

export async function sendTestEmail(
  { mailer, config }: Administration,
  { person: { email } }: Visit,
): Promise<ResultOf<typeof contract.sendTestEmail>> {
  const mail = actionMail({
    to: email,
    subject: 'Test email from Glacis',
    intro: 'An administrator of this Glacis installation sent this email to check that email works.',
    link: { url: config.url, title: 'Open Glacis' },
    footer: 'No action is needed.',
  })
  try {
    await mailer.deliver(mail)
    return { to: email }
  } catch (error) {
    return { to: email, problem: error instanceof Error ? error.message : String(error) }
  }
}
