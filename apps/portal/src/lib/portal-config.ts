/** Configuration of this installation, available before the first render. */
import type { PortalConfig } from '@glacis/contract/portal-config'

let present: PortalConfig | undefined

/** Called once, by `config.ts`. */
export function providePortalConfig(config: PortalConfig): void {
  present = config
}

/** @throws if `config.ts` hasn't loaded it yet */
export function portalConfig(): PortalConfig {
  if (!present) throw new Error('the configuration was used before it was loaded')
  return present
}
