/** Device information of a session. */
import type { Session } from '@glacis/contract/identity'
import Bowser from 'bowser'

/** The user agent is untrusted input; only this many characters are parsed. */
export const maxUserAgentLength = 500

export interface DeviceInfo {
  /** Address without port; empty if unknown. */
  readonly host: string
  readonly system: string
  readonly browser: string
  readonly kind: 'desktop' | 'mobile' | 'tablet'
}

/** The first device of a session. The others are earlier addresses of the same device. */
export function deviceOf({ devices }: Pick<Session, 'devices'>): DeviceInfo {
  const { ip_address: address = '', user_agent: agent = '' } = devices[0] ?? {}
  const { browser, os, platform } = Bowser.parse(agent.slice(0, maxUserAgentLength) || ' ')
  const kind = platform.type === 'mobile' || platform.type === 'tablet' ? platform.type : 'desktop'
  return {
    host: hostOf(address),
    system: os.name || 'Unknown system',
    browser: browser.name || 'unknown browser',
    kind,
  }
}

/** Strips port and brackets from addresses such as `198.51.100.7:53122` and `[2001:db8::1]:443`. */
export function hostOf(address: string): string {
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(address)
  if (bracketed?.[1]) return bracketed[1]
  const isIpv6 = address.split(':').length > 2
  return isIpv6 ? address : address.replace(/:\d+$/, '')
}
