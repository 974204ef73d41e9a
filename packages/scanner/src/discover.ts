import type { PortReading } from '#ports.ts'

/** Whether a host is alive, and the evidence. */
export interface Reach {
  readonly reached: boolean
  readonly reason: string
}

/**
 * Decides by TCP alone, which needs no privileges: a refused connection proves that a host is alive
 * as much as an open port does.
 * The sweep probes the most common ports first and uses shorter timeouts on hosts that were silent
 * on all of them, but still covers the whole list, because many firewalls drop everything except
 * one unusual port. With gentle limits, a network of 254 silent addresses takes about two minutes.
 * On loopback, every address refuses connections and therefore counts as reached. Callers should
 * use the port counts to keep only hosts with open ports.
 */
export function judgeReach(reading: PortReading, datagramPorts: readonly number[] = []): Reach {
  const { open, closed, filtered, unknown, denied, denialReason } = reading
  const [first] = open
  const [datagram] = datagramPorts
  if (first === undefined && datagram !== undefined)
    return { reached: true, reason: `response on port ${datagram}/udp` }
  if (first !== undefined) {
    return { reached: true, reason: open.length === 1 ? `port ${first} open` : `${open.length} ports open` }
  }
  if (closed > 0)
    return {
      reached: true,
      reason: `no open ports; ${closed} ${closed === 1 ? 'port' : 'ports'} refused the connection`,
    }
  if (filtered > 0)
    return { reached: false, reason: `no response from ${filtered} ${filtered === 1 ? 'port' : 'ports'}` }
  if (unknown > 0)
    return {
      reached: false,
      reason: `${unknown} ${unknown === 1 ? 'port' : 'ports'} could not be probed because of local errors`,
    }
  return { reached: false, reason: denialReason && denied > 0 ? `refused: ${denialReason}` : 'no ports were probed' }
}
