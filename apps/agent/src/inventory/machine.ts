/** Collects the inventory of this machine. */
import { readFile } from 'node:fs/promises'
import { networkInterfaces, platform, release } from 'node:os'
import { parseEnv } from 'node:util'
import { type InventoryItem, inventoryLimits, type Machine } from '@glacis/contract/machine'
import { defaultSocketPaths, readContainers } from './containers.ts'
import { readPackages } from './packages.ts'
import { readSockets } from './sockets.ts'

/** What is reported about this machine. */
export interface Inventory {
  readonly machine: Machine
  readonly items: readonly InventoryItem[]
}

export async function collectInventory(): Promise<Inventory> {
  const [machine, packages, sockets, containers] = await Promise.all([
    readMachine(),
    readPackages(),
    readSockets(),
    readContainers(defaultSocketPaths(process.env)),
  ])
  return {
    machine,
    items: [
      ...packages.slice(0, inventoryLimits.packagesMax),
      ...sockets.slice(0, inventoryLimits.socketsMax),
      ...containers.slice(0, inventoryLimits.containersMax),
    ],
  }
}

async function readMachine(): Promise<Machine> {
  // os-release(5) is a list of shell assignments.
  const system = parseEnv(await readFile('/etc/os-release', 'utf8').catch(() => ''))
  return {
    systemId: (system['ID'] ?? '').slice(0, 40),
    systemVersion: (system['VERSION_ID'] ?? '').slice(0, 40),
    systemName: (system['PRETTY_NAME'] ?? platform()).slice(0, 200),
    kernel: release().slice(0, 100),
    addresses: ownAddresses(),
  }
}

/** Loopback addresses are included: a host that this agent scans there is this machine. */
function ownAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
  // Link-local addresses exist in every network.
  const addresses = all.map(({ address }) => address).filter((address) => !/^(?:fe80:|169\.254\.)/.test(address))
  return [...new Set(addresses)].toSorted().slice(0, 256)
}
