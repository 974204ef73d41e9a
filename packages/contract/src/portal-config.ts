/** `GET /config.json`: settings the portal needs before its first API call. */
import { z } from 'zod/mini'

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
  /** Empty if there is no bot challenge. */
  botChallengeSiteKey: z.string(),
  version: z.string(),
  /** If false, everyone has the largest plan and there are no billing screens. */
  billing: z.boolean(),
  /** Whether emails are written to files because no mail server is configured. The path is not disclosed. */
  mailsAreFiles: z.optional(z.boolean()),
})
export type PortalConfig = z.infer<typeof PortalConfig>
