import { portalConfig } from '#lib/portal-config.ts'

/** Explains where emails are, if the installation can't send them. */
export function outboxText(): string | undefined {
  return portalConfig().mailsAreFiles
    ? 'This installation has no mail server yet, so emails are files in the outbox folder on the server.'
    : undefined
}
