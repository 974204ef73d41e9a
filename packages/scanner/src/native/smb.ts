import { checkInfo, type NativeContext, type NativeCheck, type Proof } from '#native/native-check.ts'
import type { ListedShare } from '#native/smb-pipe.ts'
import { listedShares, listedUsers, logInAnonymously, sessionOn, type Session } from '#native/smb-session.ts'
import { commands, isFrame, negotiateBody, smb1Negotiate, treeBody } from '#native/smb-wire.ts'

const version1 = checkInfo({
  id: 'smb1-enabled',
  name: 'SMBv1 enabled',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:H/A:N',
  score: 7.4,
  summary: 'The file server supports SMB version 1, which is deprecated.',
  impact:
    'An attacker on the network path can read and change files in transit, because SMBv1 has no encryption and no protection against downgrade attacks. Worms such as WannaCry exploited vulnerabilities in its implementation (MS17-010).',
  remediation:
    'Disable SMBv1: `Set-SmbServerConfiguration -EnableSMB1Protocol $false` on Windows, `server min protocol = SMB2` in Samba.',
  reference:
    'https://learn.microsoft.com/windows-server/storage/file-server/troubleshoot/detect-enable-and-disable-smbv1-v2-v3',
  tags: 'misconfig smb network',
  verifiedOn: 'samba samba-smb1',
})
const signing = checkInfo({
  id: 'smb-signing-optional',
  name: 'SMB signing not required',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:L/I:H/A:N',
  score: 6.5,
  summary: 'The file server does not require signed SMB messages, so clients can connect without signing.',
  impact: 'An attacker on the network path can relay logins to the server (NTLM relay), and modify data in transit.',
  remediation:
    'Require signing: `Set-SmbServerConfiguration -RequireSecuritySignature $true` on Windows, `server signing = mandatory` in Samba.',
  reference: 'https://learn.microsoft.com/windows-server/storage/file-server/smb-signing-overview',
  tags: 'misconfig smb network',
  verifiedOn: 'samba samba-guest samba-netbios samba-smb1',
})
const guestShare = checkInfo({
  id: 'smb-guest-share',
  name: 'SMB share exposed without authentication',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:L/A:L',
  score: 8.6,
  summary:
    'An SMB share is accessible in an anonymous or guest session. The access mask in the evidence shows whether it is also writable.',
  impact: 'An attacker can read the shared files and, with write access, replace them or plant malicious files.',
  remediation:
    'In Samba, set `guest ok = no` for the share and `map to guest = never` globally. On Windows, remove Everyone and ANONYMOUS LOGON from the share permissions and disable the Guest account.',
  reference: 'https://www.samba.org/samba/docs/current/man-html/smb.conf.5.html',
  tags: 'misconfig smb unauth network',
  verifiedOn: 'samba samba-guest samba-netbios',
})

const shareList = checkInfo({
  id: 'smb-shares-listed',
  name: 'SMB share enumeration (null session)',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:N/A:N',
  score: 5.3,
  summary: 'The file server lists its shares in an anonymous session (null session).',
  impact: 'An attacker learns the names of the shares, and can test each for weak permissions.',
  remediation:
    'Set `restrict anonymous = 2` in Samba. On Windows, enable the policy "Network access: Do not allow anonymous enumeration of SAM accounts and shares" and set `RestrictNullSessAccess` to 1.',
  reference: 'https://www.samba.org/samba/docs/current/man-html/smb.conf.5.html',
  tags: 'misconfig smb unauth disclosure network',
  verifiedOn: 'samba-netbios',
})

const userList = checkInfo({
  id: 'smb-users-listed',
  name: 'SMB user enumeration (null session)',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:N/A:N',
  score: 5.3,
  summary: 'The file server lists its user accounts in an anonymous session (null session).',
  impact: 'An attacker learns account names and can guess their passwords.',
  remediation:
    'Set `restrict anonymous = 2` in Samba. On Windows, enable the policy "Network access: Do not allow anonymous enumeration of SAM accounts".',
  reference:
    'https://learn.microsoft.com/previous-versions/windows/it-pro/windows-10/security/threat-protection/security-policy-settings/network-access-do-not-allow-anonymous-enumeration-of-sam-accounts',
  tags: 'misconfig smb unauth disclosure network',
  verifiedOn: 'samba-null-session',
})

const shareNames =
  'public share shared shares data files common guest temp tmp transfer exchange scans media backup backups documents software install home www'
const readOptions = { firstByteMs: 4000, idleMs: 300, enough: isFrame }
const sharesTried = 40
const writeBits = 0x6

/**
 * Negotiates, logs in anonymously, lists shares and users, and finds shares with anonymous access. Opens and
 * writes no files.
 */
export const smb: NativeCheck = {
  checks: [version1, signing, guestShare, shareList, userList],
  appliesTo: ({ protocol }) => protocol === 'smb',
  async run(context) {
    const results: Record<string, Proof | null> = {}
    const old = await context.exchange(smb1Negotiate, readOptions)
    if (old) results[version1.id] = version1Proof(old)
    if (old && results[version1.id]) results[signing.id] = version1SigningProof(old)
    const received = await context.withConnection(async (connection) => {
      const session = sessionOn(connection)
      const hello = await session.send(commands.negotiate, negotiateBody())
      // An error response has a body of another structure.
      if (hello?.status !== 0) return undefined
      return { mode: hello.body.readUInt16LE(2), ...(await testAnonymousAccess(session, context)) }
    })
    if (!received) return results
    const isOptional = (received.mode & 2) === 0
    const answer = `security mode ${received.mode}: signing ${isOptional ? 'enabled but not required' : 'required'}`
    results[signing.id] = isOptional ? { request: 'SMB 2 NEGOTIATE', answer, highlights: ['not required'] } : null
    if (received.share !== undefined) results[guestShare.id] = received.share
    if (received.list !== undefined) results[shareList.id] = received.list
    if (received.users !== undefined) results[userList.id] = received.users
    return results
  },
}

/** The server accepted our only dialect. */
function version1Proof(received: Buffer): Proof | null {
  const isAnswer = received.length > 39 && received.toString('latin1', 4, 9) === '\u00ffSMB\u0072'
  if (!isAnswer || received.readUInt16LE(37) !== 0) return null
  const strings = received
    .toString('utf16le', 36 + 4)
    .replaceAll(/[^ -~]+/g, ' ')
    .trim()
  return {
    request: 'SMB 1 NEGOTIATE, dialect NT LM 0.12',
    answer: `dialect NT LM 0.12 accepted; ${strings}`,
    highlights: ['NT LM 0.12'],
  }
}

/** The decision of a server without SMB 2. Bit 3 of the security mode requires signatures (MS-CIFS 2.2.4.52.2). */
function version1SigningProof(received: Buffer): Proof | null {
  const mode = received.readUInt8(39)
  if ((mode & 8) !== 0) return null
  const answer = `security mode ${mode}: signing ${(mode & 4) === 0 ? 'disabled' : 'enabled'}, not required`
  return { request: 'SMB 1 NEGOTIATE', answer, highlights: ['not required'] }
}

interface Shares {
  /** Each is undefined when inconclusive. */
  readonly share?: Proof | null | undefined
  readonly list?: Proof | null | undefined
  readonly users?: Proof | null | undefined
}

async function testAnonymousAccess(session: Session, context: NativeContext): Promise<Shares> {
  const isLoggedIn = await logInAnonymously(session)
  if (!isLoggedIn) return isLoggedIn === undefined ? {} : { share: null, list: null, users: null }
  const shares = await listedShares(session, context.address)
  const users = await listedUsers(session, context.address)
  const disks = (shares ?? []).filter(({ isDisk }) => isDisk).map(({ name }) => name)
  const names = [...new Set([...disks, ...shareNames.split(' ')])].slice(0, sharesTried)
  return {
    list: shares && listProof(shares),
    users: users && usersProof(users),
    share: await openShare(session, context, names),
  }
}

function usersProof(users: readonly string[]): Proof | null {
  if (users.length === 0) return null
  const request = 'SamrEnumerateUsersInDomain in an anonymous session'
  return { request, answer: users.join('\n'), highlights: users.slice(0, 3) }
}

function listProof(shares: readonly ListedShare[]): Proof | null {
  if (shares.length === 0) return null
  const lines = shares.map(({ name, isDisk, remark }) => `${name} (${isDisk ? 'files' : 'other'}) ${remark}`.trim())
  return { request: 'NetrShareEnum in an anonymous session', answer: lines.join('\n'), highlights: lines.slice(0, 3) }
}

/** @returns undefined when testing the shares was inconclusive */
async function openShare(
  session: Session,
  { address }: NativeContext,
  names: readonly string[],
): Promise<Proof | null | undefined> {
  for (const name of names) {
    const tree = await session.send(commands.treeConnect, treeBody(`\\\\${address}\\${name}`))
    if (!tree) return undefined
    // A disk share, by the first field.
    if (tree.status !== 0 || tree.body.length < 16 || tree.body[2] !== 1) continue
    const access = tree.body.readUInt32LE(12)
    const isWritable = (access & writeBits) === writeBits
    const answer = `Connected to share "${name}" anonymously, access mask 0x${access.toString(16)}${isWritable ? ' (includes write access)' : ''}`
    return { request: `TREE_CONNECT \\\\${address}\\${name} in an anonymous session`, answer, highlights: [name] }
  }
  return null
}
