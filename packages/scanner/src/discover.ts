import type { PortReading } from '#ports.ts'

/** Whether a host answered, and how we know. */
export interface Reach {
  readonly reached: boolean
  readonly reason: string
}

/**
 * Judges by TCP alone, which needs no privilege: a refused connect is an answer just as an open port
 * is. The sweep itself asks the likeliest ports first and treats a host that was silent on all of
 * them more briefly, but still asks the whole list: a firewall that drops everything but one odd
 * port is common, and "no ping, therefore dead" is how scanners miss it. With the gentle limits a
 * network of 254 silent addresses costs about two minutes.
 *
 * On loopback every address refuses, so it counts as reached; only hosts with an open port are
 * worth keeping, which is for the reader of the observation to decide by its counts.
 */
export function judgeReach(reading: PortReading, datagramPorts: readonly number[] = []): Reach {
  const { open, closed, filtered, unknown, refused, refusal } = reading
  const [first] = open
  const [datagram] = datagramPorts
  if (first === undefined && datagram !== undefined) return { reached: true, reason: `port ${datagram}/udp answers` }
  if (first !== undefined) {
    return { reached: true, reason: open.length === 1 ? `port ${first} open` : `${open.length} ports open` }
  }
  if (closed > 0) return { reached: true, reason: `no port open; ${closed} ${closed === 1 ? 'port' : 'ports'} refused` }
  if (filtered > 0) return { reached: false, reason: `no answer on ${filtered} ports` }
  if (unknown > 0) return { reached: false, reason: `${unknown} ports could not be asked from this machine` }
  return { reached: false, reason: refusal && refused > 0 ? `refused: ${refusal}` : 'no port was asked' }
}
