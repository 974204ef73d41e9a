/** Servers of files and of source code: rsync, Subversion, git. */
import { bytes, checkInfo } from '#native/native.ts'
import type { NativePlace, NativeSubject, Proof } from '#native/native.ts'

const rsyncWritable = checkInfo({
  id: 'rsync-module-writable',
  name: 'Rsync module can be written by everyone',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:H/A:H',
  score: 8.6,
  summary:
    'A module of the rsync server takes an upload without a password. It was asked for a dry run and nothing was sent.',
  impact: 'Strangers can replace and delete its files, and often run programs by that.',
  remediation: 'Set read only = yes, or auth users and hosts allow for the module.',
  reference: 'https://download.samba.org/pub/rsync/rsyncd.conf.5',
  tags: 'misconfig rsync unauth network',
})
const modulesMax = 5

/** Begins an upload as a dry run (option n) and leaves before the list of files. */
export const rsync: NativeSubject = {
  checks: [rsyncWritable],
  concerns: ({ protocol }) => protocol === 'rsync',
  async examine(place) {
    const listed = await place.speak(async (line) => {
      await line.read(greeting)
      line.write('@RSYNCD: 31.0\n#list\n')
      return (await line.read({ firstByteMs: 3000, idleMs: 500 })).toString('latin1')
    })
    if (!listed?.includes('@RSYNCD: EXIT')) return {}
    const modules = [...listed.matchAll(/^([\w.-]{1,100})\s*\t/gm)].map(([, name = '']) => name)
    for (const name of modules.slice(0, modulesMax)) {
      const proof = await begunUpload(place, name)
      if (proof) return { [rsyncWritable.id]: proof }
    }
    return { [rsyncWritable.id]: null }
  },
}

const greeting = { firstByteMs: 3000, idleMs: 150, enough: (all: Buffer) => all.includes(10) }

async function begunUpload(place: NativePlace, name: string): Promise<Proof | null> {
  const heard = await place.speak(async (line) => {
    await line.read(greeting)
    line.write(`@RSYNCD: 31.0\n${name}\n`)
    const state = await line.read({
      firstByteMs: 3000,
      idleMs: 300,
      enough: (all) => /^@(RSYNCD: OK|RSYNCD: AUTH|ERROR)/m.test(all.toString('latin1')),
    })
    if (!/^@RSYNCD: OK/m.test(state.toString('latin1'))) return undefined
    line.write(bytes(`--server\0-nre.iLsfxC\0.\0${name}/\0\0`))
    // Flags and the seed of the checksum come at once; a refusal comes right behind them.
    return line.read({ firstByteMs: 3000, idleMs: 1500, totalMs: 5000 })
  })
  if (!heard || heard.length < 5) return null
  const text = heard.toString('latin1')
  if (/error|read.?only|denied|refus|unknown/i.test(text)) return null
  const request = `module ${name}, arguments: --server -n (dry run) . ${name}/`
  const answer = `The server agreed on a protocol (${heard.length} bytes) and waited for the list of files to take.`
  return { request, answer, highlights: [name], quality: 95 }
}

const anonymousWrite = checkInfo({
  id: 'svn-anonymous-write',
  name: 'Subversion can be written anonymously',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:H/A:L',
  score: 8.6,
  summary: 'The Subversion server lets anonymous people use a command that needs the right to write.',
  impact: 'Strangers can commit changes to the source code.',
  remediation: 'Set anon-access = none in svnserve.conf and give each person an account.',
  reference: 'https://svnbook.red-bean.com/en/1.7/svn.serverconfig.svnserve.html',
  tags: 'misconfig svn unauth network',
})

/** The right to write is asked for by breaking the lock of a path that does not exist. */
export const subversion: NativeSubject = {
  checks: [anonymousWrite],
  concerns: ({ protocol }) => protocol === 'svn',
  async examine(place) {
    const told = await place.speak(async (line) => {
      const more = async () => (await line.read({ firstByteMs: 3000, idleMs: 300 })).toString('latin1')
      await more()
      line.write(
        `( 2 ( edit-pipeline svndiff1 absent-entries depth mergeinfo log-revprops ) ${counted(`svn://${place.address}`)} ${counted('Glacis')} ( ) ) `,
      )
      if (!(await more()).includes('ANONYMOUS')) return 'no anonymous log-in'
      line.write('( ANONYMOUS ( 0: ) ) ')
      if (!(await more()).startsWith('( success ( ) )')) return 'refused'
      line.write(`( unlock ( ${counted('glacis-no-such-path')} ( ) true ) ) `)
      return more()
    })
    if (told === undefined) return {}
    // Trivial authentication was enough; what fails then is that there is no such lock or no user to hold it (Subversion's errors 1600xx).
    const isProved = /^\( success \( \( \) 0: \) \) \( failure \( \( 1600(13|34|35|36|40) /.test(told)
    const request = 'unlock glacis-no-such-path, break lock'
    return { [anonymousWrite.id]: isProved ? { request, answer: told, highlights: [told.slice(0, 60)] } : null }
  },
}

function counted(text: string): string {
  return `${text.length}:${text}`
}

const exported = checkInfo({
  id: 'git-daemon-open',
  name: 'Git repository exported to everyone',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:N/A:N',
  score: 5.3,
  summary: 'The git daemon lists the branches of a repository for whoever asks; its protocol knows no passwords.',
  impact: 'The whole history of the source code can be cloned.',
  remediation: 'Serve repositories by SSH or HTTPS with accounts, and stop the daemon unless the code is public.',
  reference: 'https://git-scm.com/docs/git-daemon',
  tags: 'misconfig git unauth network',
})
const repositories =
  'app project repo repository web website www site main master code src source test git server api backend frontend infra config deploy public'

export const gitDaemon: NativeSubject = {
  checks: [exported],
  concerns: ({ protocol, port }) => protocol === 'git' || (protocol === '' && port === 9418),
  async examine(place) {
    const named = place.hostNames.flatMap((name) => /^[a-z][\w-]*/.exec(name)?.[0] ?? [])
    const names = [...new Set([...repositories.split(' '), ...named])].flatMap((name) => [`/${name}.git`, `/${name}`])
    let isReached = false
    for (const path of names.slice(0, 60)) {
      const said = `git-upload-pack ${path}\0host=${place.hostname}\0`
      const length = (said.length + 4).toString(16).padStart(4, '0')
      const heard = await place.ask(bytes(length + said), { firstByteMs: 2000, idleMs: 100 })
      if (heard === undefined) break
      isReached = true
      const answer = heard.toString('latin1')
      if (/^[0-9a-f]{4}[0-9a-f]{40,64} /.test(answer) || /^0000$/.test(answer)) {
        return { [exported.id]: { request: said.replaceAll('\0', ' '), answer, highlights: [path] } }
      }
    }
    return isReached ? { [exported.id]: null } : {}
  },
}
