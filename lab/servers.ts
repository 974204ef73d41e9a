/**
 * A small lab of deliberately vulnerable servers on loopback addresses, for demos and tests. They implement enough of their
 * protocols that real scanners identify them as the originals. They are harmless: leaked data is made up, and no
 * commands are executed.
 */
import { elasticsearch, apache, grafana, hardened, nginx, php } from './hosts/web.ts'
import { memcached, mqtt, redis } from './hosts/databases.ts'
import { ftp, ssh, tarpit } from './hosts/remote.ts'
import { oldTls } from './hosts/tls.ts'
import type { Listening, HostDefinition, HasWeakness } from './service.ts'

/** A host and its current state. */
export interface LabHost {
  readonly address: string
  readonly name: string
  readonly description: string
  /** The ports it listens on: the standard ones if they are free and permitted. */
  readonly ports: readonly number[]
  /** The remaining weaknesses; `fix` removes one. */
  readonly weaknesses: readonly string[]
  /** The minimum that a scan should report now: CVE IDs, and IDs of our checks. */
  readonly expected: readonly string[]
}

/** A running lab. */
export interface Lab {
  /** The current state of all hosts. */
  readonly hosts: readonly LabHost[]
  /**
   * Removes a weakness while the host is running, as an administrator would.
   *
   * @throws if the host doesn't have the weakness
   */
  fix(host: string, weakness: string): void
  /** Closes every port. */
  stop(): Promise<void>
}

export interface LabOptions {
  /** First address of the network, in 127.0.0.0/8; a mask is ignored. */
  readonly network?: string | undefined
  readonly log?: ((line: string) => void) | undefined
  /** Names of the initial weaknesses; all if absent. */
  readonly weaknesses?: readonly string[] | undefined
}

/** In the order of their addresses, starting with .1. */
const definitions: readonly HostDefinition[] = [
  apache,
  nginx,
  ssh,
  redis,
  memcached,
  mqtt,
  ftp,
  oldTls,
  grafana,
  php,
  elasticsearch,
  hardened,
  tarpit,
]

/**
 * Starts every host. The caller stops them.
 *
 * @throws if the network is not loopback, or no port can be opened
 */
export async function startLab({
  network = '127.77.0.0/28',
  log = () => {},
  weaknesses,
}: LabOptions = {}): Promise<Lab> {
  const addresses = addressesOf(network)
  const fixed = new Set(weaknesses && allWeaknesses().filter((name) => !weaknesses.includes(name)))
  const hasWeakness = (weakness: string) => !fixed.has(weakness)
  const running: Running[] = []
  const stop = async () => {
    await Promise.all(running.flatMap(({ listening }) => listening.map((port) => port.close())))
  }
  try {
    for (const [index, definition] of definitions.entries()) {
      const host = { definition, address: addresses(index), listening: [] }
      running.push(host)
      await startHost(host, hasWeakness)
      log(lineOf(host))
    }
  } catch (error) {
    await stop()
    throw error
  }
  return {
    get hosts() {
      return running.map(({ definition, address, listening }) => {
        const remaining = definition.weaknesses.filter(({ name }) => !fixed.has(name))
        return {
          address,
          name: definition.name,
          description: definition.description,
          ports: [...new Set(listening.map(({ port }) => port))],
          weaknesses: remaining.map(({ name }) => name),
          expected: [...new Set([...(definition.expected ?? []), ...remaining.flatMap(({ expected }) => expected)])],
        }
      })
    },
    fix(host, weakness) {
      const server = running.find(({ definition, address }) => definition.name === host || address === host)
      if (!server?.definition.weaknesses.some(({ name }) => name === weakness))
        throw new Error(`${host} has no weakness "${weakness}"`)
      fixed.add(weakness)
      log(`${server.address.padEnd(13)} fixed: ${weakness}`)
    },
    stop,
  }
}

interface Running {
  readonly definition: HostDefinition
  address: string
  readonly listening: Listening[]
}

/** If only 127.0.0.1 is configured, as on macOS, the hosts share it and use different ports. */
async function startHost(host: Running, hasWeakness: HasWeakness): Promise<void> {
  for (const service of host.definition.services) {
    try {
      host.listening.push(await service(host.address, hasWeakness))
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EADDRNOTAVAIL')) throw error
      host.address = '127.0.0.1'
      host.listening.push(await service(host.address, hasWeakness))
    }
  }
}

function lineOf({ definition, address, listening }: Running): string {
  const ports = [...new Set(listening.map(({ port }) => port))].join(', ')
  return `${address.padEnd(13)} ${ports.padEnd(12)} ${definition.name}: ${definition.description}`
}

function allWeaknesses(): readonly string[] {
  return definitions.flatMap((definition) => definition.weaknesses.map(({ name }) => name))
}

/** Counts up from the network's first address, which stays unused. */
function addressesOf(network: string): (index: number) => string {
  const [, a, b, c] = /^(127)\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})(?:\/\d{1,2})?$/.exec(network) ?? []
  const last = Number(/\.(\d{1,3})(?:\/|$)/.exec(network.slice(network.lastIndexOf('.')))?.[1])
  if (a === undefined || last + definitions.length > 254)
    throw new Error(`${network} is not a loopback network (127.0.0.0/8)`)
  return (index) => `${a}.${b}.${c}.${last + index + 1}`
}
