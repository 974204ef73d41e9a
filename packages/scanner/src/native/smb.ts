import { checkInfo } from '#native/native.ts'
import type { NativePlace, NativeSubject, Proof } from '#native/native.ts'
import {
  commands,
  isFrame,
  moreProcessing,
  negotiateBody,
  readSmb2,
  sessionBody,
  smb1Negotiate,
  smb2Message,
  spnegoAnonymous,
  spnegoInit,
  treeBody,
  type Smb2Head,
} from '#native/smb-wire.ts'
import type { Line } from '#net/tcp.ts'

const version1 = checkInfo({
  id: 'smb1-enabled',
  name: 'SMB version 1 enabled',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:H/A:N',
  score: 7.4,
  summary: 'The file server still speaks version 1 of SMB.',
  impact: 'The version has no protection against changes on the way, and worms have spread by its flaws.',
  remediation: 'Switch SMB 1 off (server min protocol = SMB2 in Samba).',
  reference:
    'https://learn.microsoft.com/windows-server/storage/file-server/troubleshoot/detect-enable-and-disable-smbv1-v2-v3',
  tags: 'misconfig smb network',
})
const signing = checkInfo({
  id: 'smb-signing-optional',
  name: 'SMB signing not required',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:L/I:H/A:N',
  score: 6.5,
  summary: 'The file server does not require that messages are signed.',
  impact: 'An attacker in the network can relay log-ins and change what is read and written.',
  remediation: 'Require signing (server signing = mandatory in Samba, the group policy of that name in Windows).',
  reference: 'https://learn.microsoft.com/windows-server/storage/file-server/smb-signing-overview',
  tags: 'misconfig smb network',
})
const guestShare = checkInfo({
  id: 'smb-guest-share',
  name: 'SMB share open to everyone',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:H/A:L',
  score: 8.6,
  summary: 'A share can be used without a name and a password; by its access mask it can be written, too.',
  impact: 'Strangers can read its files, replace them, or leave something for others to open.',
  remediation: 'Remove guest ok from the share and map to guest from the server.',
  reference: 'https://www.samba.org/samba/docs/current/man-html/smb.conf.5.html',
  tags: 'misconfig smb unauth network',
})

const shareNames =
  'public share shared shares data files common guest temp tmp transfer exchange scans media backup backups documents software install home www'
const patience = { firstByteMs: 4000, idleMs: 300, enough: isFrame }
const writeBits = 0x6
const noSession = Buffer.alloc(8)

/** Negotiates, logs in as nobody, and looks which shares let nobody in. Nothing is opened or written. */
export const smb: NativeSubject = {
  checks: [version1, signing, guestShare],
  concerns: ({ protocol }) => protocol === 'smb',
  async examine(place) {
    const verdicts: Record<string, Proof | null> = {}
    const old = await place.ask(smb1Negotiate, patience)
    if (old) verdicts[version1.id] = version1Proof(old)
    const heard = await place.speak(async (line) => {
      const hello = await said(line, commands.negotiate, 0, noSession, negotiateBody())
      return hello && { mode: hello.body.readUInt16LE(2), share: await openShare(line, place) }
    })
    if (!heard) return verdicts
    const isOptional = (heard.mode & 2) === 0
    const answer = `security mode ${heard.mode}: signing ${isOptional ? 'enabled and not required' : 'required'}`
    verdicts[signing.id] = isOptional ? { request: 'SMB 2 NEGOTIATE', answer, highlights: ['not required'] } : null
    if (heard.share !== undefined) verdicts[guestShare.id] = heard.share
    return verdicts
  },
}

/** The server chose our only dialect. */
function version1Proof(heard: Buffer): Proof | null {
  const isAnswer = heard.length > 39 && heard.toString('latin1', 4, 9) === '\u00ffSMB\u0072'
  if (!isAnswer || heard.readUInt16LE(37) !== 0) return null
  const words = heard
    .toString('utf16le', 36 + 4)
    .replaceAll(/[^ -~]+/g, ' ')
    .trim()
  return {
    request: 'SMB 1 NEGOTIATE, dialect NT LM 0.12',
    answer: `dialect NT LM 0.12 accepted. ${words}`,
    highlights: ['NT LM 0.12'],
  }
}

async function said(
  line: Line,
  command: number,
  id: number,
  session: Buffer,
  body: Buffer,
): Promise<Smb2Head | undefined> {
  line.write(smb2Message(command, id, session, body))
  return readSmb2(await line.read(patience))
}

/** @returns undefined when the log-in could not be tried to its end */
async function openShare(line: Line, { address }: NativePlace): Promise<Proof | null | undefined> {
  const begun = await said(line, commands.sessionSetup, 1, noSession, sessionBody(spnegoInit()))
  if (!begun) return undefined
  if (begun.status !== moreProcessing) return null
  const session = Buffer.from(begun.sessionId)
  const done = await said(line, commands.sessionSetup, 2, session, sessionBody(spnegoAnonymous()))
  if (!done) return undefined
  if (done.status !== 0) return null
  let id = 3
  for (const name of shareNames.split(' ')) {
    const tree = await said(line, commands.treeConnect, id++, session, treeBody(`\\\\${address}\\${name}`))
    if (!tree) return undefined
    // A disk, as its first field says; a pipe is open to nobody on many servers.
    if (tree.status !== 0 || tree.body.length < 16 || tree.body[2] !== 1) continue
    const access = tree.body.readUInt32LE(12)
    const isWritable = (access & writeBits) === writeBits
    const answer = `The share "${name}" was connected without a name; access mask 0x${access.toString(16)}${isWritable ? ', writing included' : ''}.`
    return { request: `TREE_CONNECT \\\\${address}\\${name} in an anonymous session`, answer, highlights: [name] }
  }
  return null
}
