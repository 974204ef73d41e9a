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
})
export type PortalConfig = z.infer<typeof PortalConfig>
