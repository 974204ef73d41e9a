/** Lists listening sockets from Linux's /proc, with the names of their processes where the agent can read them. */
import { readdir, readFile, readlink } from 'node:fs/promises'
import { SocketAddress } from 'node:net'
import { endianness } from 'node:os'
import type { InventorySocket } from '@glacis/contract/machine'

interface ListeningSocket {
  readonly transport: 'tcp' | 'udp'
  readonly address: string
  readonly port: number
  readonly inode: string
}

/** @returns an empty list on systems other than Linux */
export async function readSockets(): Promise<InventorySocket[]> {
  const tables = (['tcp', 'tcp6', 'udp', 'udp6'] as const).map(async (table) => {
    const text = await readFile(`/proc/net/${table}`, 'latin1').catch(() => '')
    return parseSocketTable(text, table.startsWith('tcp') ? 'tcp' : 'udp')
  })
  const isEphemeral = await ephemeralPorts()
  // A UDP client's socket looks like a server's, except for its port.
  const sockets = (await Promise.all(tables))
    .flat()
    .filter(({ transport, port }) => transport === 'tcp' || !isEphemeral(port))
  const processes = await processesByInode(new Set(sockets.map(({ inode }) => inode)))
  const listed = sockets.map(({ inode, transport, address, port }) => ({
    kind: 'socket' as const,
    transport,
    address,
    port,
    process: (processes.get(inode) ?? '').slice(0, 64),
  }))
  // Servers with several processes listen more than once.
  return [...new Map(listed.map((socket) => [JSON.stringify(socket), socket])).values()]
}

const states = { tcp: '0A', udp: '07' } as const

/** Parses listening sockets of a table such as /proc/net/tcp (proc_net(5)). */
export function parseSocketTable(text: string, transport: 'tcp' | 'udp'): ListeningSocket[] {
  return text
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/)
      const [hex = '', port = ''] = local.split(':')
      if (state !== states[transport] || !/^(?:[0-9A-F]{8}){1,4}$/.test(hex)) return []
      return [{ transport, address: addressOf(hex), port: Number.parseInt(port, 16), inode }]
    })
    .filter(({ port }) => port > 0)
}

/** The kernel prints 32-bit words in the byte order of the machine. */
function addressOf(hex: string): string {
  const bytes = Buffer.from(hex, 'hex')
  if (endianness() === 'LE') bytes.swap32()
  if (bytes.length === 4) return bytes.join('.')
  const words = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(index * 2).toString(16))
  return new SocketAddress({ address: words.join(':'), family: 'ipv6' }).address
}

async function ephemeralPorts(): Promise<(port: number) => boolean> {
  const text = await readFile('/proc/sys/net/ipv4/ip_local_port_range', 'latin1').catch(() => '')
  const [from = 32_768, to = 60_999] = text.trim().split(/\s+/).filter(Boolean).map(Number)
  return (port) => port >= from && port <= to
}

/** Names of the processes that have these sockets open. */
async function processesByInode(inodes: ReadonlySet<string>): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>()
  const entries = await readdir('/proc').catch(() => [])
  for (const pid of entries.filter((entry) => /^\d+$/.test(entry))) {
    // Fails for processes of other users and for those that have ended.
    const files = await readdir(`/proc/${pid}/fd`).catch(() => [])
    const links = await Promise.all(files.map((file) => readlink(`/proc/${pid}/fd/${file}`).catch(() => '')))
    const own = links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []).filter((inode) => inodes.has(inode))
    if (own.length === 0) continue
    const name = (await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')).trim()
    for (const inode of own) if (!names.has(inode)) names.set(inode, name)
  }
  return names
}
