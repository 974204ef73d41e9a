/** Ways in: SSH with old algorithms, FTP for anybody, and a port that never finishes. */
import { randomBytes } from 'node:crypto'
import { createServer, type Socket } from 'node:net'
import { listenTcp, type Role, type Weak } from '../service.ts'

/** Goes as far as the exchange of algorithms. */
export const ssh: Role = {
  name: 'bastion',
  about: 'OpenSSH 8.9p1 that still offers SHA-1 and CBC',
  weaknesses: [
    { name: 'ssh-version', expected: ['CVE-2024-6387', 'CVE-2023-38408', 'CVE-2023-48795', 'CVE-2023-51385'] },
    { name: 'ssh-algorithms', expected: [] },
  ],
  services: [
    (address, isWeak) =>
      listenTcp(
        createServer((socket) => speakSsh(socket, isWeak)),
        address,
        [22, 2222, 0],
      ),
  ],
}

/** Up to the algorithms (RFC 4253, 4.2 and 7.1); whoever wants to go on is shown the door. */
function speakSsh(socket: Socket, isWeak: Weak): void {
  socket.write(`SSH-2.0-${isWeak('ssh-version') ? 'OpenSSH_8.9p1' : 'OpenSSH_10.2'}\r\n`)
  let seen = ''
  socket.setTimeout(10_000, () => socket.destroy())
  socket.on('data', (chunk: Buffer) => {
    const isFirst = !seen.includes('\n')
    seen = (seen + chunk.toString('latin1')).slice(0, 4096)
    if (!seen.includes('\n')) return
    if (isFirst) socket.write(keyExchange(isWeak))
    // Message 30 opens a key exchange; nobody needs to get further here.
    if (chunk[5] === 30 && !isFirst) socket.end()
  })
}

function keyExchange(isWeak: Weak): Buffer {
  const old = isWeak('ssh-algorithms')
  const ciphers = [
    'chacha20-poly1305@openssh.com',
    'aes256-gcm@openssh.com',
    'aes128-ctr',
    ...(old ? ['aes128-cbc', '3des-cbc'] : []),
  ]
  const macs = ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512', ...(old ? ['hmac-md5', 'hmac-sha1-96'] : [])]
  const lists = [
    ['curve25519-sha256', 'ecdh-sha2-nistp256', ...(old ? ['diffie-hellman-group1-sha1'] : [])],
    ['ssh-ed25519', 'rsa-sha2-512', ...(old ? ['ssh-rsa'] : [])],
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
  // At least four bytes, to a multiple of eight.
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

/** Logs anybody in, lists one file, and pretends to copy. */
export const ftp: Role = {
  name: 'transfer',
  about: 'ProFTPD 1.3.5 with anonymous log-in and mod_copy',
  weaknesses: [
    { name: 'ftp-anonymous', expected: ['ftp-anonymous'] },
    { name: 'ftp-mod-copy', expected: ['CVE-2015-3306'] },
    { name: 'ftp-version', expected: ['CVE-2015-3306', 'CVE-2019-12815'] },
  ],
  services: [
    (address, isWeak) =>
      listenTcp(
        createServer((socket) => speakFtp(socket, address, isWeak)),
        address,
        [21, 2121, 0],
      ),
  ],
}

function speakFtp(socket: Socket, address: string, isWeak: Weak): void {
  const session: FtpSession = { address, isWeak, isKnown: false, data: null }
  const name = isWeak('ftp-version') ? 'ProFTPD 1.3.5 Server' : 'FTP Server'
  socket.write(`220 ${name} (Laboratory) [${address}]\r\n`)
  socket.setTimeout(30_000, () => socket.destroy())
  socket.on('close', () => void session.data?.close())
  let pending = ''
  socket.on('data', (chunk) => {
    pending = (pending + chunk.toString('latin1')).slice(-4096)
    const lines = pending.split(/\r?\n/)
    pending = lines.pop() ?? ''
    for (const line of lines) obey(socket, line, session).catch(() => socket.destroy())
  })
}

interface FtpSession {
  readonly address: string
  readonly isWeak: Weak
  isKnown: boolean
  /** The passive port that was offered last, and the client that came to it. */
  data: { readonly port: number; readonly client: Promise<Socket>; close(): Promise<void> } | null
}

async function obey(socket: Socket, line: string, session: FtpSession): Promise<void> {
  const [name = '', ...rest] = line.trim().split(' ')
  const command = name.toUpperCase()
  const reply = (text: string) => socket.write(`${text}\r\n`)
  if (command === 'USER')
    return void reply(
      `331 ${session.isWeak('ftp-anonymous') ? 'Anonymous login ok, send your complete email address as your password' : 'Password required'}`,
    )
  if (command === 'PASS') {
    session.isKnown = session.isWeak('ftp-anonymous')
    return void reply(session.isKnown ? '230 Anonymous user logged in, restrictions apply' : '530 Login incorrect')
  }
  if (command === 'SITE') return void reply(copyAnswer(rest, session))
  const fixed = answers[command]
  if (fixed !== undefined) return void reply(fixed)
  if (command === 'QUIT') return void socket.end('221 Goodbye.\r\n')
  if (!session.isKnown) return void reply('530 Please login with USER and PASS')
  if (command === 'PASV' || command === 'EPSV') return offerPort(socket, command, session)
  if (command === 'LIST' || command === 'NLST') return sendList(socket, session)
  reply(
    command === 'PWD'
      ? '257 "/" is the current directory'
      : `500 ${command.replaceAll(/\W/g, '').slice(0, 20)} not understood`,
  )
}

const answers: Readonly<Record<string, string>> = {
  SYST: '215 UNIX Type: L8',
  NOOP: '200 NOOP command successful',
  TYPE: '200 Type set to I',
  FEAT: '211-Features:\r\n MDTM\r\n SIZE\r\n EPSV\r\n211 End',
  AUTH: '500 AUTH not understood',
  HELP: '214 Direct comments to root@localhost',
}

/** mod_copy obeys before a log-in. Nothing is copied. */
function copyAnswer([name = '']: readonly string[], { isWeak }: FtpSession): string {
  const command = name.toUpperCase()
  if (command === 'HELP' && isWeak('ftp-mod-copy'))
    return '214-The following SITE commands are recognized\r\n CPFR <sp> pathname\r\n CPTO <sp> pathname\r\n214 Direct comments to root@localhost'
  if (command === 'CPFR' && isWeak('ftp-mod-copy')) return '350 File or directory exists, ready for destination name'
  if (command === 'CPTO' && isWeak('ftp-mod-copy')) return '250 Copy successful'
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

/** A port that answers one byte every two seconds, for ever: a scan must give it up and go on. */
export const tarpit: Role = {
  name: 'tarpit',
  about: 'A port that answers one byte every two seconds and never ends',
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
