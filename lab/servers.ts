/**
 * A small laboratory of deliberately weak servers on loopback addresses, for demonstrations and
 * tests of scanners. They speak enough of their protocols for real scanners to find the same, and
 * do nothing: whatever they leak is made up, and no command runs.
 */
import { elasticsearch, apache, grafana, hardened, nginx, php } from './hosts/web.ts'
import { memcached, mqtt, redis } from './hosts/databases.ts'
import { ftp, ssh, tarpit } from './hosts/remote.ts'
import { oldTls } from './hosts/tls.ts'
import type { Listening, Role, Weak } from './service.ts'

/** One host and how it stands. */
export interface LabHost {
  readonly address: string
  readonly name: string
  readonly about: string
  /** The ports that were free and permitted; native ones where possible. */
  readonly ports: readonly number[]
  /** The weaknesses that are still there; `mend` takes one away. */
  readonly weaknesses: readonly string[]
  /** What a scan should report now at least: CVE ids, or ids of checks of our packs. */
  readonly expected: readonly string[]
}

/** A laboratory that is running. */
export interface Lab {
  /** As things stand when it is read. */
  readonly hosts: readonly LabHost[]
  /**
   * Takes a weakness away while the host runs on, as an administrator would.
   *
   * @throws when the host has no such weakness
   */
  mend(host: string, weakness: string): void
  /** Closes every port. */
  stop(): Promise<void>
}

/** What may differ from the laboratory as it comes. */
export interface LabOptions {
  /** First address of the network, inside 127.0.0.0/8; a mask is read over. */
  readonly network?: string | undefined
  readonly log?: ((line: string) => void) | undefined
  /** Names of the weaknesses to begin with; absent: all. */
  readonly weaknesses?: readonly string[] | undefined
}

/** In the order of their addresses: the first has .1. */
const roles: readonly Role[] = [
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
 * Starts every host. Whoever starts it must stop it.
 *
 * @throws when the network is not loopback, or no port can be opened
 */
export async function startLab({
  network = '127.77.0.0/28',
  log = () => {},
  weaknesses,
}: LabOptions = {}): Promise<Lab> {
  const addresses = addressesOf(network)
  const mended = new Set(weaknesses && allWeaknesses().filter((name) => !weaknesses.includes(name)))
  const isWeak = (weakness: string) => !mended.has(weakness)
  const running: Running[] = []
  const stop = async () => {
    await Promise.all(running.flatMap(({ listening }) => listening.map((port) => port.close())))
  }
  try {
    for (const [index, role] of roles.entries()) {
      const host = { role, address: addresses(index), listening: [] }
      running.push(host)
      await startHost(host, isWeak)
      log(lineOf(host))
    }
  } catch (error) {
    await stop()
    throw error
  }
  return {
    get hosts() {
      return running.map(({ role, address, listening }) => {
        const left = role.weaknesses.filter(({ name }) => !mended.has(name))
        return {
          address,
          name: role.name,
          about: role.about,
          ports: [...new Set(listening.map(({ port }) => port))],
          weaknesses: left.map(({ name }) => name),
          expected: [...new Set([...(role.expected ?? []), ...left.flatMap(({ expected }) => expected)])],
        }
      })
    },
    mend(host, weakness) {
      const found = running.find(({ role, address }) => role.name === host || address === host)
      if (!found?.role.weaknesses.some(({ name }) => name === weakness))
        throw new Error(`${host} has no weakness "${weakness}"`)
      mended.add(weakness)
      log(`${found.address.padEnd(13)} mended: ${weakness}`)
    },
    stop,
  }
}

interface Running {
  readonly role: Role
  address: string
  readonly listening: Listening[]
}

/** Where only 127.0.0.1 is set up, as on macOS, the hosts share it and differ by their ports. */
async function startHost(host: Running, isWeak: Weak): Promise<void> {
  for (const service of host.role.services) {
    try {
      host.listening.push(await service(host.address, isWeak))
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EADDRNOTAVAIL')) throw error
      host.address = '127.0.0.1'
      host.listening.push(await service(host.address, isWeak))
    }
  }
}

function lineOf({ role, address, listening }: Running): string {
  const ports = [...new Set(listening.map(({ port }) => port))].join(', ')
  return `${address.padEnd(13)} ${ports.padEnd(12)} ${role.name}: ${role.about}`
}

function allWeaknesses(): readonly string[] {
  return roles.flatMap((role) => role.weaknesses.map(({ name }) => name))
}

/** Counts up from the network's first address, which stays unused. */
function addressesOf(network: string): (index: number) => string {
  const [, a, b, c] = /^(127)\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})(?:\/\d{1,2})?$/.exec(network) ?? []
  const last = Number(/\.(\d{1,3})(?:\/|$)/.exec(network.slice(network.lastIndexOf('.')))?.[1])
  if (a === undefined || last + roles.length > 254) throw new Error(`not a network of loopback addresses: ${network}`)
  return (index) => `${a}.${b}.${c}.${last + index + 1}`
}
