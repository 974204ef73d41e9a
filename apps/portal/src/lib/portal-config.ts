/** The configuration of this installation, for every room. It is there before the first render. */
import type { PortalConfig } from '@glacis/contract/portal-config'

let present: PortalConfig | undefined

/** Called once, by `config.ts`. */
export function providePortalConfig(config: PortalConfig): void {
  present = config
}

/** @throws when it is asked for before `config.ts` has read it. */
export function portalConfig(): PortalConfig {
  if (!present) throw new Error('the configuration was asked for before it was read')
  return present
}
