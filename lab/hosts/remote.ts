/** Remote access: SSH with old algorithms, anonymous FTP, and a port whose response never ends. */
import { randomBytes } from 'node:crypto'
import { createServer, type Socket } from 'node:net'
import { listenTcp, type HostDefinition, type HasWeakness } from '../service.ts'

/** Implements SSH up to the negotiation of algorithms. */
export const ssh: HostDefinition = {
  name: 'bastion',
  description: 'OpenSSH 8.9p1 with SHA-1 and CBC enabled',
  weaknesses: [
    { name: 'ssh-version', expected: ['CVE-2024-6387', 'CVE-2023-38408', 'CVE-2023-48795', 'CVE-2023-51385'] },
    { name: 'ssh-algorithms', expected: [] },
  ],
  services: [
    (address, hasWeakness) =>
      listenTcp(
        createServer((socket) => serveSsh(socket, hasWeakness)),
        address,
        [22, 2222, 0],
      ),
  ],
}

/** Sends version and algorithms (RFC 4253, sections 4.2 and 7.1), then closes the connection. */
function serveSsh(socket: Socket, hasWeakness: HasWeakness): void {
  socket.write(`SSH-2.0-${hasWeakness('ssh-version') ? 'OpenSSH_8.9p1' : 'OpenSSH_10.2'}\r\n`)
  let received = ''
  socket.setTimeout(10_000, () => socket.destroy())
  socket.on('data', (chunk: Buffer) => {
    const isFirst = !received.includes('\n')
    received = (received + chunk.toString('latin1')).slice(0, 4096)
    if (!received.includes('\n')) return
    if (isFirst) socket.write(keyExchange(hasWeakness))
    // Message 30 starts a key exchange, which isn't implemented.
    if (chunk[5] === 30 && !isFirst) socket.end()
  })
}

function keyExchange(hasWeakness: HasWeakness): Buffer {
  const hasOldAlgorithms = hasWeakness('ssh-algorithms')
  const ciphers = [
    'chacha20-poly1305@openssh.com',
    'aes256-gcm@openssh.com',
    'aes128-ctr',
    ...(hasOldAlgorithms ? ['aes128-cbc', '3des-cbc'] : []),
  ]
  const macs = [
    'hmac-sha2-256-etm@openssh.com',
    'hmac-sha2-512',
    ...(hasOldAlgorithms ? ['hmac-md5', 'hmac-sha1-96'] : []),
  ]
  const lists = [
    [
      'curve25519-sha256',
      'ecdh-sha2-nistp256',
      ...(hasOldAlgorithms ? ['diffie-hellman-group1-sha1'] : []),
      // Since OpenSSH 9.6, against CVE-2023-48795.
      ...(hasWeakness('ssh-version') ? [] : ['kex-strict-s-v00@openssh.com']),
    ],
    ['ssh-ed25519', 'rsa-sha2-512', ...(hasOldAlgorithms ? ['ssh-rsa'] : [])],
    ciphers,
    ciphers,
    macs,
    macs,
    ['none'],
    ['none'],
    [],
    [],
  ]
  const payload = Buffer.concat([Buffer.from([20]), randomBytes(16), ...lists.map(nameList), Buffer.alloc(5)])
  // At least four bytes, up to a multiple of eight.
  const padding = 4 + ((8 - ((payload.length + 5 + 4) % 8)) % 8)
  const head = Buffer.alloc(5)
  head.writeUInt32BE(payload.length + padding + 1)
  head[4] = padding
  return Buffer.concat([head, payload, Buffer.alloc(padding)])
}

function nameList(names: readonly string[]): Buffer {
  const text = Buffer.from(names.join(','))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(text.length)
  return Buffer.concat([length, text])
}

/** Accepts anonymous users, lists one file, and pretends to copy. */
export const ftp: HostDefinition = {
  name: 'transfer',
  description: 'ProFTPD 1.3.5 with anonymous login and mod_copy',
  weaknesses: [
    { name: 'ftp-anonymous', expected: ['ftp-anonymous'] },
    { name: 'ftp-mod-copy', expected: ['CVE-2015-3306'] },
    { name: 'ftp-version', expected: ['CVE-2015-3306', 'CVE-2019-12815'] },
  ],
  services: [
    (address, hasWeakness) =>
      listenTcp(
        createServer((socket) => serveFtp(socket, address, hasWeakness)),
        address,
        [21, 2121, 0],
      ),
  ],
}

function serveFtp(socket: Socket, address: string, hasWeakness: HasWeakness): void {
  const session: FtpSession = { address, hasWeakness, isLoggedIn: false, data: null }
  const name = hasWeakness('ftp-version') ? 'ProFTPD 1.3.5 Server' : 'FTP Server'
  socket.write(`220 ${name} (Laboratory) [${address}]\r\n`)
  socket.setTimeout(30_000, () => socket.destroy())
  socket.on('close', () => void session.data?.close())
  let pending = ''
  socket.on('data', (chunk) => {
    pending = (pending + chunk.toString('latin1')).slice(-4096)
    const lines = pending.split(/\r?\n/)
    pending = lines.pop() ?? ''
    for (const line of lines) runCommand(socket, line, session).catch(() => socket.destroy())
  })
}

interface FtpSession {
  readonly address: string
  readonly hasWeakness: HasWeakness
  isLoggedIn: boolean
  /** The last passive port that was opened, and the client that connects to it. */
  data: { readonly port: number; readonly client: Promise<Socket>; close(): Promise<void> } | null
}

async function runCommand(socket: Socket, line: string, session: FtpSession): Promise<void> {
  const [name = '', ...rest] = line.trim().split(' ')
  const command = name.toUpperCase()
  const reply = (text: string) => socket.write(`${text}\r\n`)
  if (command === 'USER')
    return void reply(
      `331 ${session.hasWeakness('ftp-anonymous') ? 'Anonymous login ok, send your complete email address as your password' : 'Password required'}`,
    )
  if (command === 'PASS') {
    session.isLoggedIn = session.hasWeakness('ftp-anonymous')
    return void reply(session.isLoggedIn ? '230 Anonymous user logged in, restrictions apply' : '530 Login incorrect')
  }
  if (command === 'SITE') return void reply(copyReply(rest, session))
  const fixed = fixedReplies[command]
  if (fixed !== undefined) return void reply(fixed)
  if (command === 'QUIT') return void socket.end('221 Goodbye.\r\n')
  if (!session.isLoggedIn) return void reply('530 Please login with USER and PASS')
  if (command === 'PASV' || command === 'EPSV') return offerPort(socket, command, session)
  if (command === 'LIST' || command === 'NLST') return sendList(socket, session)
  reply(
    command === 'PWD'
      ? '257 "/" is the current directory'
      : `500 ${command.replaceAll(/\W/g, '').slice(0, 20)} not understood`,
  )
}

const fixedReplies: Readonly<Record<string, string>> = {
  SYST: '215 UNIX Type: L8',
  NOOP: '200 NOOP command successful',
  TYPE: '200 Type set to I',
  FEAT: '211-Features:\r\n MDTM\r\n SIZE\r\n EPSV\r\n211 End',
  AUTH: '500 AUTH not understood',
  HELP: '214 Direct comments to root@localhost',
}

/** mod_copy accepts commands before login. Nothing is copied. */
function copyReply([name = '']: readonly string[], { hasWeakness }: FtpSession): string {
  const command = name.toUpperCase()
  if (command === 'HELP' && hasWeakness('ftp-mod-copy'))
    return '214-The following SITE commands are recognized\r\n CPFR <sp> pathname\r\n CPTO <sp> pathname\r\n214 Direct comments to root@localhost'
  if (command === 'CPFR' && hasWeakness('ftp-mod-copy'))
    return '350 File or directory exists, ready for destination name'
  if (command === 'CPTO' && hasWeakness('ftp-mod-copy')) return '250 Copy successful'
  return "500 'SITE' not understood"
}

async function offerPort(socket: Socket, command: string, session: FtpSession): Promise<void> {
  await session.data?.close()
  const { promise, resolve } = Promise.withResolvers<Socket>()
  const listening = await listenTcp(createServer(resolve), session.address, [0])
  session.data = { ...listening, client: promise }
  const { port } = listening
  if (command === 'EPSV') socket.write(`229 Entering Extended Passive Mode (|||${port}|)\r\n`)
  else
    socket.write(`227 Entering Passive Mode (${session.address.replaceAll('.', ',')},${port >> 8},${port & 255}).\r\n`)
}

async function sendList(socket: Socket, session: FtpSession): Promise<void> {
  if (!session.data) return void socket.write('425 Unable to build data connection\r\n')
  socket.write('150 Opening ASCII mode data connection for file list\r\n')
  const client = await session.data.client
  client.end('-rw-r--r--   1 ftp      ftp          1024 Jan 01 00:00 welcome.txt\r\n')
  socket.write('226 Transfer complete\r\n')
}

/** Sends one byte every two seconds, forever. A scan must give up and continue. */
export const tarpit: HostDefinition = {
  name: 'tarpit',
  description: 'A port that sends one byte every two seconds, forever',
  weaknesses: [],
  services: [
    (address) => {
      const server = createServer((socket) => {
        const drip = setInterval(() => socket.write('x'), 2000)
        socket.on('close', () => clearInterval(drip))
        socket.resume()
      })
      return listenTcp(server, address, [8080, 8081, 0])
    },
  ],
}
