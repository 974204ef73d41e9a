import type { PortalConfig } from '@glacis/contract/portal-config'

/** What a page is told by an installation at `url` that has nothing special. */
export function plainPortalConfig(url: string): PortalConfig {
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
