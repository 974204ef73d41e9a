/** What a session tells of the device it was opened on. */
import type { Session } from '@glacis/contract/identity'
import Bowser from 'bowser'

/** A user agent is whatever a client chose to send; no more of it is read than this. */
export const userAgentLengthMax = 500

export interface DeviceInfo {
  /** Address without its port; empty when unknown. */
  readonly host: string
  readonly system: string
  readonly browser: string
  readonly kind: 'desktop' | 'mobile' | 'tablet'
}

/** The first device of a session; the others are earlier addresses of the same. */
export function deviceOf({ devices }: Pick<Session, 'devices'>): DeviceInfo {
  const { ip_address: address = '', user_agent: agent = '' } = devices[0] ?? {}
  const { browser, os, platform } = Bowser.parse(agent.slice(0, userAgentLengthMax) || ' ')
  const kind = platform.type === 'mobile' || platform.type === 'tablet' ? platform.type : 'desktop'
  return {
    host: hostOf(address),
    system: os.name || 'Unknown system',
    browser: browser.name || 'Unknown browser',
    kind,
  }
}

/** `198.51.100.7:53122`, `[2001:db8::1]:443` and bare addresses, without port and brackets. */
export function hostOf(address: string): string {
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(address)
  if (bracketed?.[1]) return bracketed[1]
  const isIpv6 = address.split(':').length > 2
  return isIpv6 ? address : address.replace(/:\d+$/, '')
}
