/** A closed network with weak servers and an agent. The only way out is the agent's connection to the server. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createAgent, getAgent, getAgentInstall } from '@glacis/contract/agent'
import { listIssues } from '@glacis/contract/issue'
import { createTarget } from '@glacis/contract/target'
import type { Visitor } from '../lab/visitor.ts'
import { connectMachines, type Machine, startMachine } from './machine.ts'

/** Address of the server, as machines in the closed network see it. Both addresses exist only inside namespaces. */
export const serverAddress = '192.0.2.1'
const officeAddress = '192.0.2.2'
/** Loopback addresses of the closed network; here nothing listens on them. */
const labNetwork = '127.61.42.0/28'
export const weakAddress = '127.61.42.1'

export interface ClosedNetwork {
  /** The machine with the agent and the weak servers. */
  readonly office: Machine
  /** The gateway to the server. */
  readonly uplink: Machine
  /** Drops 20% of the packets and adds a delay of 300 ms: with netem, or else with nftables and the relay. */
  disturb(): Promise<'netem' | 'nftables and the relay'>
  /** How many packets have been dropped since then. */
  droppedPackets(): Promise<number>
  repair(): Promise<void>
  stop(): Promise<void>
}

/**
 * @param port of the server on this machine, and of its address in the closed network
 * @param folder for sockets and files of the test
 */
export async function startClosedNetwork(port: number, folder: string): Promise<ClosedNetwork> {
  await using resources = new AsyncDisposableStack()
  const socketPath = join(folder, 'uplink.sock')
  const bridge = createServer((incoming) => {
    const outgoing = connect(port, '127.0.0.1')
    for (const [from, to] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const)
      from.pipe(to).on('error', () => from.destroy())
  })
  await once(bridge.listen(socketPath), 'listening')
  resources.defer(() => void bridge.close())
  const [office, uplink] = [await startMachine('office'), await startMachine('uplink')]
  resources.defer(() => office.stop())
  resources.defer(() => uplink.stop())
  await connectMachines(office, `${officeAddress}/24`, uplink, `${serverAddress}/24`)
  const relay = uplink.start([process.execPath, 'soak/relay.ts', serverAddress, String(port), socketPath], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lab = office.start([process.execPath, 'lab/main.ts', labNetwork], { stdio: ['pipe', 'pipe', 'inherit'] })
  const relayPid = Number(await firstOutput(relay))
  await firstOutput(lab)
  const owned = resources.move()
  const netem = 'tc qdisc replace dev eth0 root netem loss 20% delay 300ms'
  const drop = `nft -f - <<'END'
table inet loss {
  chain input { type filter hook input priority 0; iifname eth0 numgen random mod 100 < 20 counter drop; }
}
END`
  const relayed = (signal: string) => uplink.run(`kill -${signal} ${relayPid}`)
  return {
    office,
    uplink,
    async disturb() {
      try {
        await office.run(netem)
        return 'netem'
      } catch {
        for (const machine of [office, uplink]) await machine.run(drop)
        await relayed('USR1')
        return 'nftables and the relay'
      }
    },
    async droppedPackets() {
      const counters = 'tc -s qdisc show dev eth0; nft list ruleset'
      const texts = [await office.run(counters), await uplink.run(counters)]
      return [...texts.join('\n').matchAll(/dropped (\d+)|counter packets (\d+)/g)]
        .map(([, netem, rule]) => Number(netem ?? rule))
        .reduce((sum, count) => sum + count, 0)
    },
    async repair() {
      await office.run('tc qdisc del dev eth0 root 2>/dev/null || true')
      for (const machine of [office, uplink]) await machine.run('nft flush ruleset')
      await relayed('USR2')
    },
    stop: () => owned.disposeAsync(),
  }
}

async function firstOutput({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('the process has no pipe for its output')
  const [data] = await once(stdout, 'data')
  return String(data)
}

export interface Office {
  readonly agentId: string
  readonly targetId: string
  readonly token: string
}

/** Creates an agent and a target, and installs the agent by running the portal's own command. */
export async function installAgent(visitor: Visitor, network: ClosedNetwork, folder: string): Promise<Office> {
  const { office } = network
  const { agent } = await visitor.call(createAgent, { agent: { name: 'Office' } })
  const token = agent.token ?? ''
  const { command } = await visitor.call(getAgentInstall, { id: agent.id, system: 'systemd' })
  await installTools(office)
  await writeFile(join(folder, 'install'), command)
  await writeFile(join(folder, 'token'), `${token}\n`, { mode: 0o600 })
  // The script reads the token from a terminal.
  await office.run(`export PATH=${tools}:$PATH; script -qec 'sh -e ${folder}/install' /dev/null <${folder}/token`)
  await until('the agent is connected', () => isConnected(visitor, agent.id)).catch(async (cause: unknown) => {
    throw new Error(await agentLog(network), { cause })
  })
  const { target } = await visitor.call(createTarget, {
    name: 'Office servers',
    address: weakAddress,
    schedule: { period: 'PERIOD_MONTHLY' },
    agent: { id: agent.id },
  })
  return { agentId: agent.id, targetId: target.id, token }
}

const tools = '/opt/tools'

/** Programs that the installation needs, and a stand-in for systemd. */
export async function installTools(machine: Machine): Promise<void> {
  await machine.run(`mkdir -p ${tools} /run/systemd/system && touch ${tools}/node
    mount --bind ${process.execPath} ${tools}/node
    for name in systemctl journalctl; do cp soak/systemctl.sh ${tools}/$name; done
    printf '#!/bin/sh\\nexec "$@"\\n' >${tools}/sudo && chmod +x ${tools}/sudo`)
}

export async function isConnected(visitor: Visitor, id: string): Promise<boolean> {
  return (await visitor.call(getAgent, { id })).agent.status === 'STATUS_CONNECTED'
}

/** What the agent has written to its log. */
export function agentLog({ office }: ClosedNetwork): Promise<string> {
  return office.run('cat /var/log/glacis-agent.log')
}

/** All issues with their host counts, sorted, so that two states can be compared. */
export async function findings(visitor: Visitor): Promise<string[]> {
  const { issues } = await visitor.call(listIssues, { pageSize: 200 })
  return issues
    .map(({ threat, status, affectedHostCount }) => `${threat.name} ${status} ${affectedHostCount}`)
    .toSorted()
}

/** Whether this machine, on which the server runs, reaches a port. */
export function canConnect(address: string, port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect(port, address, () => resolve(true)).once('error', () => resolve(false))
  return promise.finally(() => socket.destroy())
}

/** @throws naming `goal` if it isn't reached in time */
export async function until(goal: string, condition: () => Promise<boolean>, withinMs = 60_000): Promise<void> {
  const deadline = performance.now() + withinMs
  while (!(await condition().catch(() => false))) {
    if (performance.now() > deadline) throw new Error(`Not after ${withinMs} ms: ${goal}`)
    await wait(250)
  }
}
