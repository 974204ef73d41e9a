/** How many hosts a batch has, and how long it is expected to take. */
import { parsePorts } from '@glacis/scanner'

/**
 * Hosts per batch with the default ports. Each host is scanned at a low rate, so throughput comes from scanning many at
 * once. Fewer would slow down networks; more would delay the first results, and the scans of others.
 */
const hostsPerBatch = 64
const defaultPorts = 1000
/** Bounds what planning a scan writes. */
const batchesMax = 4096

/** Hosts per batch of a scan: fewer with more ports, so that batches take about as long. */
export function batchSizeOf(ports: string, hosts: number): number {
  return Math.max(1, Math.floor(hostsPerBatch / hostCostOf(ports)), Math.ceil(hosts / batchesMax))
}

/** The expected time of a batch, relative to that of one host with the default ports. */
export function batchCostOf(ports: string, hosts: number): number {
  return Math.ceil(hosts * hostCostOf(ports))
}

function hostCostOf(ports: string): number {
  const list = ports === '' ? null : parsePorts(ports)
  return list === null || 'problem' in list ? 1 : Math.max(1, list.ports.length / defaultPorts)
}
