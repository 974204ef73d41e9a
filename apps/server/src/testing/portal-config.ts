import type { PortalConfig } from '@glacis/contract/portal-config'

/** The portal configuration of an installation with default settings. */
export function defaultPortalConfig(url: string): PortalConfig {
  return {
    apiUrl: url,
    portalUrl: url,
    identityUrl: url,
    apiDocsUrl: '',
    releaseNotesUrl: '',
    licenceUrl: '',
    helpUrl: '',
    supportEmail: 'support@localhost',
    botChallengeSiteKey: '',
    version: '0.1.0',
    billing: true,
  }
}
