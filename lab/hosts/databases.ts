/** Data stores without authentication: Redis, Memcached, and an MQTT broker. */
import { createSocket } from 'node:dgram'
import { createServer, type Socket } from 'node:net'
import { listenTcp, listenUdp, type HostDefinition, type HasWeakness } from '../service.ts'

/** Maximum bytes of a request. */
const requestBytesMax = 64 * 1024

/** Implements RESP. Commands that change data are unknown. */
export const redis: HostDefinition = {
  name: 'cache',
  description: 'Redis 6.0.9 without authentication',
  weaknesses: [{ name: 'redis-open', expected: ['redis-open', 'CVE-2025-49844', 'CVE-2021-32762', 'CVE-2021-32625'] }],
  services: [
    (address, hasWeakness) => {
      const server = createServer((socket) =>
        eachCommand(socket, (args) => socket.write(redisReply(args, hasWeakness))),
      )
      return listenTcp(server, address, [6379, 6380, 0])
    },
  ],
}

const redisInfo = [
  '# Server',
  'redis_version:6.0.9',
  'redis_git_sha1:00000000',
  'redis_mode:standalone',
  'os:Linux 5.10.0-28-amd64 x86_64',
  'arch_bits:64',
  'tcp_port:6379',
  'uptime_in_seconds:86400',
  '',
  '# Keyspace',
  'db0:keys=42,expires=0,avg_ttl=0',
  '',
].join('\r\n')

/** Enough commands for a scanner, none of which changes anything. */
function redisReply([name = '', ...rest]: readonly string[], hasWeakness: HasWeakness): string {
  const command = name.toUpperCase()
  if (command === 'QUIT') return '+OK\r\n'
  if (command === 'AUTH')
    return hasWeakness('redis-open')
      ? '-ERR Client sent AUTH, but no password is set\r\n'
      : '-WRONGPASS invalid username-password pair\r\n'
  if (!hasWeakness('redis-open')) return '-NOAUTH Authentication required.\r\n'
  if (command === 'PING') return '+PONG\r\n'
  if (command === 'INFO') return bulk(redisInfo)
  if (command === 'DBSIZE') return ':42\r\n'
  if (command === 'ECHO') return bulk(rest[0] ?? '')
  if (command === 'SELECT' || command === 'CLIENT') return '+OK\r\n'
  if (command === 'CONFIG' && rest[0]?.toUpperCase() === 'GET')
    return rest[1] === 'dir' ? array(['dir', '/var/lib/redis']) : array([])
  if (command === 'KEYS' || command === 'COMMAND') return array([])
  return `-ERR unknown command \`${name.replaceAll(/[^\w-]/g, '').slice(0, 40)}\`, with args beginning with: \r\n`
}

function bulk(text: string): string {
  return `$${Buffer.byteLength(text)}\r\n${text}\r\n`
}
function array(items: readonly string[]): string {
  return `*${items.length}\r\n${items.map(bulk).join('')}`
}

/** Parses commands in both of Redis's formats: a line, or an array of bulk strings. */
function eachCommand(socket: Socket, run: (args: readonly string[]) => void): void {
  let pending = ''
  socket.setEncoding('latin1')
  socket.on('data', (chunk: string) => {
    pending += chunk
    for (let command = readCommand(pending); command; command = readCommand(pending)) {
      pending = pending.slice(command.length)
      if (command.args.length > 0) run(command.args)
      if (command.args[0]?.toUpperCase() === 'QUIT') socket.end()
    }
    if (pending.length > requestBytesMax) socket.destroy()
  })
}

function readCommand(text: string): { args: readonly string[]; length: number } | null {
  const end = text.indexOf('\n')
  if (end === -1) return null
  const [, items] = /^\*(\d{1,4})\r?$/.exec(text.slice(0, end)) ?? []
  if (items === undefined) return { args: text.slice(0, end).trim().split(/\s+/).filter(Boolean), length: end + 1 }
  const args: string[] = []
  let at = end + 1
  for (let left = Number(items); left > 0; left--) {
    const [head = '', size] = /^\$(\d{1,6})\r\n/.exec(text.slice(at, at + 16)) ?? []
    if (size === undefined || text.length < at + head.length + Number(size) + 2) return null
    args.push(text.slice(at + head.length, at + head.length + Number(size)))
    at += head.length + Number(size) + 2
  }
  return { args, length: at }
}

/** Returns version and statistics over both transports; stores nothing. */
export const memcached: HostDefinition = {
  name: 'sessions',
  description: 'Memcached 1.5.5 without authentication, exposed over UDP (amplification)',
  weaknesses: [
    { name: 'memcached-open', expected: ['memcached-open', 'CVE-2023-46852'] },
    { name: 'memcached-udp', expected: ['CVE-2018-1000115'] },
  ],
  services: [
    (address, hasWeakness) => {
      const server = createServer((socket) => {
        if (hasWeakness('memcached-open')) eachCommand(socket, (args) => socket.write(memcachedReply(args)))
        else socket.end('ERROR unauthenticated\r\n')
      })
      return listenTcp(server, address, [11211, 11212, 0])
    },
    (address, hasWeakness) => {
      const createUdp = () => {
        const socket = createSocket('udp4')
        socket.on('message', (message, from) => {
          // The frame header has eight bytes: request ID, sequence number, total, reserved.
          if (!hasWeakness('memcached-udp') || message.length < 9) return
          const args = message.subarray(8).toString('latin1').trim().split(/\s+/)
          const head = Buffer.concat([message.subarray(0, 2), Buffer.from([0, 0, 0, 1, 0, 0])])
          socket.send(Buffer.concat([head, Buffer.from(memcachedReply(args))]), from.port, from.address)
        })
        return socket
      }
      return listenUdp(createUdp, address, [11211, 11212, 0])
    },
  ],
}

const memcachedStats = [
  'pid 612',
  'uptime 86400',
  'time 1790000000',
  'version 1.5.5',
  'libevent 2.1.8-stable',
  'pointer_size 64',
  'curr_connections 4',
]
const counters = Array.from({ length: 40 }, (_, index) => `slab_counter_${index} ${1000 + index * 7}`)

function memcachedReply([name = '']: readonly string[]): string {
  if (name === 'version') return 'VERSION 1.5.5\r\n'
  if (name === 'stats') return `${[...memcachedStats, ...counters].map((line) => `STAT ${line}\r\n`).join('')}END\r\n`
  if (name === 'get' || name === 'gets') return 'END\r\n'
  return name.toLowerCase() === 'quit' ? '' : 'ERROR\r\n'
}

/** Accepts connections and subscriptions, and publishes its version. */
export const mqtt: HostDefinition = {
  name: 'telemetry',
  description: 'MQTT broker (Mosquitto 2.0.11) without authentication',
  weaknesses: [{ name: 'mqtt-open', expected: ['mqtt-open', 'CVE-2023-28366'] }],
  services: [
    (address, hasWeakness) =>
      listenTcp(
        createServer((socket) => serveMqtt(socket, hasWeakness)),
        address,
        [1883, 1884, 0],
      ),
  ],
}

/** MQTT 3.1.1 (OASIS): CONNECT, SUBSCRIBE to the broker's own topics, PING, DISCONNECT. */
function serveMqtt(socket: Socket, hasWeakness: HasWeakness): void {
  let pending = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk])
    for (let packet = readPacket(pending); packet; packet = readPacket(pending)) {
      pending = pending.subarray(packet.length)
      replyMqtt(socket, packet, hasWeakness)
    }
    if (pending.length > requestBytesMax) socket.destroy()
  })
}

interface MqttPacket {
  readonly type: number
  readonly body: Buffer
  readonly length: number
}

function readPacket(bytes: Buffer): MqttPacket | null {
  let size = 0
  for (let index = 1; index <= 4; index++) {
    const byte = bytes[index]
    if (byte === undefined) return null
    size += (byte & 0x7f) << (7 * (index - 1))
    if (byte & 0x80) continue
    const length = index + 1 + size
    return bytes.length < length
      ? null
      : { type: (bytes[0] ?? 0) >> 4, body: bytes.subarray(index + 1, length), length }
  }
  return null
}

function replyMqtt(socket: Socket, { type, body }: MqttPacket, hasWeakness: HasWeakness): void {
  if (type === 1) {
    // 0 is "accepted", 5 is "not authorized".
    const code = hasWeakness('mqtt-open') ? 0 : 5
    socket.write(Buffer.from([0x20, 2, 0, code]))
    if (code !== 0) socket.end()
  } else if (type === 8) {
    socket.write(Buffer.from([0x90, 3, body[0] ?? 0, body[1] ?? 0, 0]))
    if (body.includes('$SYS') || body.includes('#'))
      socket.write(publish('$SYS/broker/version', 'mosquitto version 2.0.11'))
  } else if (type === 12) socket.write(Buffer.from([0xd0, 0]))
  else if (type === 14) socket.end()
}

function publish(topic: string, message: string): Buffer {
  const body = Buffer.concat([Buffer.from([0, topic.length]), Buffer.from(topic), Buffer.from(message)])
  return Buffer.concat([Buffer.from([0x31, body.length]), body])
}
