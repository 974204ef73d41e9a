/** What anonymous FTP users may do (RFC 959, RFC 1635): download confidential files, and upload. */
import { randomBytes } from 'node:crypto'
import { confidentialPart, mayBeConfidential } from '#native/confidential-content.ts'
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
const confidential = checkInfo({
  id: 'ftp-confidential-files',
  name: 'Files with secrets or personal data exposed over FTP',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 7.5,
  summary:
    'The user `anonymous` can download a file that contains passwords, keys, or personal data, or that is a backup or a database.',
  impact: 'An attacker can read the data, and use the passwords and keys to access other systems.',
  remediation:
    'Remove the file from the directory of the user `anonymous`, or disable anonymous access. Rotate every secret that the file contains.',
  reference: 'https://cwe.mitre.org/data/definitions/552.html',
  tags: 'exposure ftp files backup secrets unauth network',
  verifiedOn: 'vsftpd proftpd',
})
const uploadFolders = ['', 'incoming', 'upload', 'uploads', 'pub']
const listingsMax = 12
const filesMax = 12
const filesMs = 10_000
const fileBytesMax = 65_536
const readOptions = { firstByteMs: 4000, idleMs: 150, totalMs: 6000 }

export const ftpFiles: NativeCheck = {
  checks: [confidential],
  appliesTo: ({ protocol, tls }) => protocol === 'ftp' && !tls,
  async run(context) {
    const result = await context.withConnection(async (connection) => {
      if (!(await signInAnonymously(connection))) return { proof: null }
      await reply(connection, 'TYPE I')
      return { proof: await confidentialProof(connection, context) }
    })
    return result ? { [confidential.id]: result.proof } : {}
  },
}

/** Lists folders breadth-first, and downloads the files whose names are promising. */
async function confidentialProof(connection: TcpConnection, context: NativeContext): Promise<Proof | null> {
  const stopAt = performance.now() + filesMs
  const [, home = '/'] = /^257 "([^"\r\n]{1,200})"/m.exec(await reply(connection, 'PWD')) ?? []
  const folders = [home.replace(/\/?$/, '/')]
  let files = 0
  for (const [listings, folder] of folders.entries()) {
    if (listings === listingsMax || performance.now() > stopAt) return null
    for (const { name, isFolder } of entriesIn((await download(`LIST ${folder}`, connection, context)) ?? '')) {
      const path = `${folder}${name}`
      if (isFolder) folders.push(`${path}/`)
      if (isFolder || !mayBeConfidential(path)) continue
      if (++files > filesMax) return null
      const content = await download(`RETR ${path}`, connection, context)
      const found = content && confidentialPart(content, path)
      if (found) return { request: `RETR ${path}`, answer: content, highlights: [found] }
    }
  }
  return null
}

/** The beginning of what a command sends over a data connection; undefined if it is rejected. */
async function download(
  command: string,
  connection: TcpConnection,
  context: NativeContext,
): Promise<string | undefined> {
  const port = passivePort(await reply(connection, 'PASV'))
  if (port === undefined) return undefined
  connection.write(`${command}\r\n`)
  const [data, started] = await Promise.all([
    context.exchangeOnPort(port, '', { firstByteMs: 1500, bytesMax: fileBytesMax }),
    connection.read(readOptions),
  ])
  const isStarted = /^1\d\d/.test(started.toString('latin1'))
  if (isStarted && !/^[245]\d\d /m.test(started.toString('latin1'))) await connection.read(readOptions)
  return isStarted ? data?.toString('utf8') : undefined
}

/** Lines of `ls -l`, which nearly all servers send, and of Windows. */
export function entriesIn(listing: string): readonly { readonly name: string; readonly isFolder: boolean }[] {
  return listing.split(/\r?\n/).flatMap((line) => {
    const [, type, unixName] =
      /^([d-])[\w-]{9}[.+@]?\s{1,9}\d{1,9}\s{1,9}\S{1,40}\s{1,20}(?:\S{1,40}\s{1,20})?\d{1,20}\s{1,9}\S{3,12}\s{1,9}\d{1,2}\s{1,9}[\d:]{4,5} (.{1,200})$/.exec(
        line,
      ) ?? []
    const [, size, windowsName] =
      /^[\d-]{8,10}\s{1,9}[\d:]{5}(?:[AP]M)?\s{1,20}(<DIR>|\d{1,20})\s{1,20}(.{1,200})$/.exec(line) ?? []
    const name = unixName ?? windowsName
    return name === undefined || /^\.{1,2}$/.test(name) ? [] : { name, isFolder: type === 'd' || size === '<DIR>' }
  })
}

async function signInAnonymously(connection: TcpConnection): Promise<boolean> {
  await connection.read(readOptions)
  await reply(connection, 'USER anonymous')
  return (await reply(connection, 'PASS glacis@example.org')).startsWith('230')
}

export const ftpUpload: NativeCheck = {
  permission: 'writes',
  checks: [upload],
  appliesTo: ({ protocol }) => protocol === 'ftp',
  async run(context) {
    const result = await context.withConnection(async (connection) => {
      if (!(await signInAnonymously(connection))) return { proof: null }
      for (const folder of uploadFolders) {
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
