/** File and source code servers: rsync, Subversion, Git. */
import { bytes } from '#wire.ts'
import { checkInfo, type NativeContext, type NativeCheck, type Proof } from '#native/native-check.ts'

const rsyncWritable = checkInfo({
  id: 'rsync-module-writable',
  name: 'rsync module writable without authentication',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:H/A:L',
  score: 8.6,
  summary:
    'A module of the rsync daemon accepts uploads without a password. The check requested a dry run and sent no files.',
  impact: "An attacker can replace and delete the module's files, which often leads to remote code execution.",
  remediation:
    'In rsyncd.conf, set `read only = yes` for the module, or limit it with `auth users`, `secrets file`, and `hosts allow`.',
  reference: 'https://download.samba.org/pub/rsync/rsyncd.conf.5',
  tags: 'misconfig rsync unauth network',
  verifiedOn: 'rsync',
})
const modulesMax = 5

/** Starts an upload as a dry run (option n) and disconnects before the file list. */
export const rsync: NativeCheck = {
  checks: [rsyncWritable],
  appliesTo: ({ protocol }) => protocol === 'rsync',
  async run(context) {
    const listed = await context.withConnection(async (connection) => {
      await connection.read(greeting)
      connection.write('@RSYNCD: 31.0\n#list\n')
      return (await connection.read({ firstByteMs: 3000, idleMs: 500 })).toString('latin1')
    })
    if (!listed?.includes('@RSYNCD: EXIT')) return {}
    const modules = [...listed.matchAll(/^([\w.-]{1,100})\s{0,100}\t/gm)].map(([, name = '']) => name)
    for (const name of modules.slice(0, modulesMax)) {
      const proof = await startUpload(context, name)
      if (proof) return { [rsyncWritable.id]: proof }
    }
    return { [rsyncWritable.id]: null }
  },
}

const greeting = { firstByteMs: 3000, idleMs: 150, enough: (all: Buffer) => all.includes(10) }

async function startUpload(context: NativeContext, name: string): Promise<Proof | null> {
  const received = await context.withConnection(async (connection) => {
    await connection.read(greeting)
    connection.write(`@RSYNCD: 31.0\n${name}\n`)
    const state = await connection.read({
      firstByteMs: 3000,
      idleMs: 300,
      enough: (all) => /^@(RSYNCD: OK|RSYNCD: AUTH|ERROR)/m.test(all.toString('latin1')),
    })
    if (!/^@RSYNCD: OK/m.test(state.toString('latin1'))) return undefined
    connection.write(bytes(`--server\0-nre.iLsfxC\0.\0${name}/\0\0`))
    // Flags and the checksum seed arrive immediately; a rejection follows them directly.
    return connection.read({ firstByteMs: 3000, idleMs: 1500, totalMs: 5000 })
  })
  if (!received || received.length < 5) return null
  const text = received.toString('latin1')
  if (/error|read.?only|denied|refus|unknown/i.test(text)) return null
  const request = `module ${name}: --server -n (dry run) . ${name}/`
  const answer = `The server accepted the upload (${received.length} bytes of handshake) and waited for the file list.`
  return { request, answer, highlights: [name], quality: 95 }
}

const anonymousWrite = checkInfo({
  id: 'svn-anonymous-write',
  name: 'Subversion repository writable without authentication',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:H/A:L',
  score: 8.6,
  summary:
    'The Subversion server accepts a command that requires write access from an anonymous client. The check committed nothing.',
  impact: 'An attacker can commit malicious changes to the source code.',
  remediation: 'In the `[general]` section of svnserve.conf, set `anon-access = none` and configure a `password-db`.',
  reference: 'https://svnbook.red-bean.com/en/1.7/svn.serverconfig.svnserve.html',
  tags: 'misconfig svn unauth network',
  verifiedOn: 'svnserve',
})

/** Tests write access by breaking the lock of a nonexistent path. */
export const subversion: NativeCheck = {
  checks: [anonymousWrite],
  appliesTo: ({ protocol }) => protocol === 'svn',
  async run(context) {
    const reply = await context.withConnection(async (connection) => {
      const more = async () => (await connection.read({ firstByteMs: 3000, idleMs: 300 })).toString('latin1')
      await more()
      connection.write(
        `( 2 ( edit-pipeline svndiff1 absent-entries depth mergeinfo log-revprops ) ${lengthPrefixed(`svn://${context.address}`)} ${lengthPrefixed('Glacis')} ( ) ) `,
      )
      if (!(await more()).includes('ANONYMOUS')) return 'no anonymous login'
      connection.write('( ANONYMOUS ( 0: ) ) ')
      if (!(await more()).startsWith('( success ( ) )')) return 'refused'
      connection.write(`( unlock ( ${lengthPrefixed('glacis-no-such-path')} ( ) true ) ) `)
      return more()
    })
    if (reply === undefined) return {}
    // Anonymous authentication succeeded; the command then fails because there is no such lock or
    // user (Subversion errors 1600xx).
    const isProved = /^\( success \( \( \) 0: \) \) \( failure \( \( 1600(13|34|35|36|40) /.test(reply)
    const request = 'unlock glacis-no-such-path (break lock)'
    return { [anonymousWrite.id]: isProved ? { request, answer: reply, highlights: [reply.slice(0, 60)] } : null }
  },
}

function lengthPrefixed(text: string): string {
  return `${text.length}:${text}`
}

const exported = checkInfo({
  id: 'git-daemon-open',
  name: 'Git daemon exposed without authentication',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:N/A:N',
  score: 5.3,
  summary:
    'The Git daemon serves a repository to any client. Its protocol has no authentication. The check only listed the branches.',
  impact: 'An attacker can clone the source code with its full history.',
  remediation:
    'Unless the code is public, stop the daemon and serve repositories over SSH or over HTTPS with authentication.',
  reference: 'https://git-scm.com/docs/git-daemon',
  tags: 'misconfig git unauth network',
  verifiedOn: 'git-daemon',
})
const writable = checkInfo({
  id: 'git-daemon-writable',
  name: 'Git daemon accepts pushes without authentication',
  severity: 'critical',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:H/A:H',
  score: 9.1,
  summary:
    'The Git daemon accepts pushes to a repository. Its protocol has no authentication. The check started a push and ended it without sending objects.',
  impact: 'An attacker can change the source code, its history, and everything that is built or deployed from it.',
  remediation:
    'Start the daemon without `--enable=receive-pack`, set `daemon.receivepack` to false in the repository, and accept pushes only over SSH or over HTTPS with authentication.',
  reference: 'https://git-scm.com/docs/git-daemon#Documentation/git-daemon.txt-receive-pack',
  tags: 'misconfig git unauth network',
  verifiedOn: 'git-daemon',
})
const commonRepositories =
  'app project repo repository web website www site main master code src source test git server api backend frontend infra config deploy public'

export const gitDaemon: NativeCheck = {
  checks: [exported, writable],
  appliesTo: ({ protocol, port }) => protocol === 'git' || (protocol === '' && port === 9418),
  async run(context) {
    const named = context.hostNames.flatMap((name) => /^[a-z][\w-]*/.exec(name)?.[0] ?? [])
    const names = [...new Set([...commonRepositories.split(' '), ...named])].flatMap((name) => [
      `/${name}.git`,
      `/${name}`,
    ])
    let isReached = false
    for (const path of names.slice(0, 60)) {
      const response = await requestGit(context, 'git-upload-pack', path)
      if (response === undefined) break
      isReached = true
      if (isAdvertisement.test(response)) {
        const offered = await requestGit(context, 'git-receive-pack', path)
        const isOffered = offered !== undefined && isAdvertisement.test(offered) && offered.includes('report-status')
        return {
          [exported.id]: { request: `git-upload-pack ${path}`, answer: response, highlights: [path] },
          ...(offered !== undefined && {
            [writable.id]: isOffered
              ? { request: `git-receive-pack ${path}`, answer: offered, highlights: ['report-status'] }
              : null,
          }),
        }
      }
    }
    return isReached ? { [exported.id]: null, [writable.id]: null } : {}
  },
}

const isAdvertisement = /^[0-9a-f]{4}[0-9a-f]{40,64} |^0000$/

/** Reads the references that the daemon advertises, and ends the conversation with a flush packet. */
function requestGit(context: NativeContext, service: string, path: string): Promise<string | undefined> {
  const requestText = `${service} ${path}\0host=${context.hostname}\0`
  const length = (requestText.length + 4).toString(16).padStart(4, '0')
  return context.withConnection(async (connection) => {
    connection.write(bytes(length + requestText))
    const received = (await connection.read({ firstByteMs: 2000, idleMs: 100 })).toString('latin1')
    if (!isAdvertisement.test(received)) return received
    connection.write(bytes('0000'))
    // The daemon closes the connection; a reset would discard the flush packet.
    await connection.read({ firstByteMs: 1000, idleMs: 100 })
    return received
  })
}
