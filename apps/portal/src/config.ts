/** The configuration of this installation: one small file beside the page. */
import { PortalConfig } from '@glacis/contract/portal-config'
import { allAsked, fetchEarly } from '#lib/early.ts'
import { providePortalConfig } from '#lib/portal-config.ts'

/**
 * Reads `/config.json` and makes it known to every room. Nothing renders before it is there.
 *
 * @throws when it cannot be read or has another shape.
 */
export async function loadConfig(): Promise<PortalConfig> {
  const response = await fetchEarly('/config.json', { headers: { accept: 'application/json' } })
  if (!response.ok) throw new Error(`/config.json answered with status ${response.status}`)
  const config = withoutSlashes(PortalConfig.parse(await response.json()))
  providePortalConfig(config)
  await allAsked()
  return config
}

/** Paths are appended to these two, each with a slash of its own. */
function withoutSlashes(config: PortalConfig): PortalConfig {
  const trim = (url: string) => url.replace(/\/+$/, '')
  return { ...config, apiUrl: trim(config.apiUrl), identityUrl: trim(config.identityUrl) }
}
