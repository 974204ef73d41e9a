/** Uploads by anonymous FTP users (RFC 959). */
import { randomBytes } from 'node:crypto'
import { checkInfo, type NativeCheck, type NativeContext, type Proof } from '#native/native-check.ts'
import type { TcpConnection } from '#net/tcp.ts'

const upload = checkInfo({
  id: 'ftp-anonymous-upload',
  name: 'Anonymous FTP upload allowed',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:H/A:L',
  score: 8.2,
  summary:
    'The FTP server accepts uploads from the user `anonymous`. The check uploaded a text file with a random name and tried to delete it.',
  impact:
    'An attacker can store illegal content or malware on the server and fill the disk. If the server permits overwriting, the attacker can also replace existing files.',
  remediation:
    'Disable anonymous uploads: `anon_upload_enable=NO` in vsftpd, `<Limit WRITE> DenyAll </Limit>` in ProFTPD, `-i` in Pure-FTPd.',
  reference: 'https://www.rfc-editor.org/rfc/rfc1635',
  tags: 'misconfig ftp unauth network',
  verifiedOn: 'pyftpdlib vsftpd',
})
const folders = ['', 'incoming', 'upload', 'uploads', 'pub']
const readOptions = { firstByteMs: 4000, idleMs: 150, totalMs: 6000 }

export const ftpUpload: NativeCheck = {
  permission: 'writes',
  checks: [upload],
  appliesTo: ({ protocol }) => protocol === 'ftp',
  async run(context) {
    const result = await context.withConnection(async (connection) => {
      await connection.read(readOptions)
      await reply(connection, 'USER anonymous')
      if (!(await reply(connection, 'PASS glacis@example.org')).startsWith('230')) return { proof: null }
      for (const folder of folders) {
        const proof = await uploadTo(folder, connection, context)
        if (proof) return { proof }
      }
      return { proof: null }
    })
    return result ? { [upload.id]: result.proof } : {}
  },
}

async function uploadTo(folder: string, connection: TcpConnection, context: NativeContext): Promise<Proof | undefined> {
  if (folder !== '' && !(await reply(connection, `CWD /${folder}`)).startsWith('250')) return undefined
  const port = passivePort(await reply(connection, 'PASV'))
  if (port === undefined) return undefined
  const name = `glacis-${randomBytes(6).toString('hex')}.txt`
  connection.write(`STOR ${name}\r\n`)
  const data = context.exchangeOnPort(port, 'Upload test of a security scan. This file can be deleted.\n', {
    firstByteMs: 1000,
    endsAfterMessage: true,
  })
  const started = (await connection.read(readOptions)).toString('latin1')
  await data
  const stored = /^1\d\d/.test(started) && !/^[245]\d\d /m.test(started) ? await connection.read(readOptions) : ''
  const answer = `${started}${stored.toString('latin1')}`
  if (!/^226/m.test(answer)) return undefined
  const deleted = await reply(connection, `DELE ${name}`)
  return {
    request: `STOR ${folder === '' ? '' : `/${folder}/`}${name}`,
    answer: `${answer}${deleted}`,
    highlights: ['226'],
  }
}

async function reply(connection: TcpConnection, command: string): Promise<string> {
  connection.write(`${command}\r\n`)
  return (await connection.read(readOptions)).toString('latin1')
}

/** The port of a 227 reply; its address is ignored, as it may belong to another host. */
function passivePort(text: string): number | undefined {
  const [, high, low] = /^227 [^\d]*(?:\d{1,3},){4}(\d{1,3}),(\d{1,3})/m.exec(text) ?? []
  return high === undefined || low === undefined ? undefined : Number(high) * 256 + Number(low)
}
