/** The configuration of this installation, for every room. It is there before the first render. */
import { PortalConfig } from '@glacis/contract/portal-config'
import { z } from 'zod'
import { late } from '#lib/late.ts'

/** What the contract names, and what an installation of ours says of itself besides. */
export const Installation = late(() =>
  PortalConfig.extend({
    /** Mails are files in the outbox: there is no mail server yet. */
    mailsAreFiles: z.boolean().optional(),
  }),
)
export type Installation = z.infer<typeof Installation>

let present: Installation | undefined

/** Called once, by `config.ts`. */
export function providePortalConfig(config: Installation): void {
  present = config
}

/** @throws when it is asked for before `config.ts` has read it. */
export function portalConfig(): Installation {
  if (!present) throw new Error('the configuration was asked for before it was read')
  return present
}
