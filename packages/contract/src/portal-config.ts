/** `GET /config.json`: what the portal must know before it can make its first call. */
import { z } from 'zod'

const url = z.string()
export const PortalConfig = z.object({
  apiUrl: url,
  portalUrl: url,
  identityUrl: url,
  apiDocsUrl: url,
  releaseNotesUrl: url,
  licenceUrl: url,
  helpUrl: url,
  supportEmail: z.string(),
  /** Empty: no bot challenge. */
  botChallengeSiteKey: z.string(),
  version: z.string(),
  /** False where everyone has the largest plan and no billing screens exist. */
  billing: z.boolean(),
  /** True where no mail server is named, so that mails are files of the server's machine. It says nothing of where. */
  mailsAreFiles: z.boolean().optional(),
})
export type PortalConfig = z.infer<typeof PortalConfig>
