/** Loads the configuration of this installation. */
import { PortalConfig } from '@glacis/contract/portal-config'
import { providePortalConfig } from '#lib/portal-config.ts'

/**
 * Loads `/config.json` and provides it to the app. Must complete before the first render.
 *
 * @throws if it can't be loaded or doesn't match the schema
 */
export async function loadConfig(): Promise<PortalConfig> {
  const response = await fetch('/config.json', { credentials: 'include' })
  if (!response.ok) throw new Error(`/config.json returned status ${response.status}`)
  const config = withoutSlashes(PortalConfig.parse(await response.json()))
  providePortalConfig(config)
  return config
}

/** Removes trailing slashes, because paths that start with a slash are appended to these URLs. */
function withoutSlashes(config: PortalConfig): PortalConfig {
  const trim = (url: string) => url.replace(/\/+$/, '')
  return { ...config, apiUrl: trim(config.apiUrl), identityUrl: trim(config.identityUrl) }
}
