/** The configuration that the portal loads from `/config.json`. */
import type { PortalConfig } from '@glacis/contract/portal-config'
import type { Config } from '#config.ts'
import { version } from '#version.ts'

export function portalConfig(config: Config): PortalConfig {
  return {
    apiUrl: config.url,
    portalUrl: config.url,
    identityUrl: config.identityUrl ?? config.url,
    apiDocsUrl: `${config.url}/docs/api`,
    releaseNotesUrl: `${config.url}/docs/releases`,
    licenceUrl: `${config.url}/docs/licence`,
    helpUrl: `${config.url}/docs/help`,
    supportEmail: config.supportEmail,
    botChallengeSiteKey: config.signIn.captcha?.siteKey ?? '',
    version,
    billing: config.billing !== 'off',
    mailsAreFiles: config.smtpUrl === undefined,
  }
}
