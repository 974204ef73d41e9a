import { checkInfo, type NativeContext, type NativeCheck, type Proof } from '#native/native-check.ts'
import { mountProgram, mountVersions, nfsExports, worldExports } from '#native/nfs.ts'
import { isWholeRecord, rpcCall, rpcResult, xdrOf } from '#native/rpc-wire.ts'

const portmapper = checkInfo({
  id: 'rpcbind-open',
  name: 'RPC portmapper exposed (rpcbind)',
  severity: 'low',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:L/I:N/A:N',
  score: 3.7,
  summary: "The RPC portmapper lists the host's RPC programs and their ports to any client.",
  impact: 'An attacker can locate services such as NFS and, over UDP, abuse the portmapper for DDoS amplification.',
  remediation:
    'If RPC is not used, disable it with `systemctl disable --now rpcbind.socket rpcbind.service`. Otherwise, block port 111 at the network perimeter.',
  reference: 'https://www.rfc-editor.org/rfc/rfc1833',
  tags: 'misconfig rpc disclosure network',
  verifiedOn: 'rpcbind',
})
const nfs = checkInfo({
  id: 'nfs-reachable',
  name: 'NFS service exposed',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:L/I:L/A:N',
  score: 4.8,
  summary:
    'The host offers NFS and its mount service to the network. Exports that any host can mount are reported separately.',
  impact: 'An attacker can read and write files in any export that is not limited to specific clients.',
  remediation:
    'Allow only NFS clients to reach the service, list them in /etc/exports, and use Kerberos (`sec=krb5p`).',
  reference: 'https://www.rfc-editor.org/rfc/rfc7530#section-19',
  tags: 'misconfig nfs rpc network',
})
const legacy = checkInfo({
  id: 'rpc-legacy-service',
  name: 'Legacy RPC service exposed',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:N/A:N',
  score: 5.3,
  summary: 'The host offers legacy RPC services, such as NIS, rusers, rstat, or rwall, which have no authentication.',
  impact:
    'An attacker can list users, sessions, and system load, send messages to users, or read the accounts and password hashes of an NIS domain, depending on the service.',
  remediation:
    'Disable the services, for example with `systemctl disable --now ypserv`, and replace NIS with LDAP over TLS.',
  reference: 'https://www.rfc-editor.org/rfc/rfc1833',
  tags: 'misconfig rpc nis disclosure network',
})
/** Programs without authentication that hosts no longer need. */
const legacyPrograms: Readonly<Record<number, string>> = {
  100001: 'rstatd',
  100002: 'rusersd',
  100004: 'ypserv',
  100008: 'walld',
  100009: 'yppasswdd',
  100012: 'sprayd',
  100017: 'rexd',
  100026: 'bootparamd',
  100068: 'cmsd',
  100083: 'ttdbserverd',
  100232: 'sadmind',
}
const programs: Readonly<Record<number, string>> = {
  100000: 'portmapper',
  100003: 'nfs',
  100005: 'mountd',
  100021: 'nlockmgr',
  100024: 'status',
  ...legacyPrograms,
}

/**
 * DUMP of the portmapper, version 2 (RFC 1833), and the export list of the advertised mount
 * service.
 */
export const rpcbind: NativeCheck = {
  checks: [portmapper, nfs, legacy, nfsExports],
  appliesTo: ({ protocol, transport }) => protocol === 'rpcbind' && transport === 'tcp',
  async run(context) {
    const received = await context.exchange(rpcCall(portmapperProgram, 2, dumpProcedure), { enough: isWholeRecord })
    const result = received && rpcResult(received)
    const listed = result && readDump(result)
    if (!listed) return {}
    const lines = listed.map(
      ({ program, version, port }) => `${program} ${programs[program] ?? ''} version ${version} port ${port}`,
    )
    const proof = { request: 'PMAPPROC_DUMP', answer: lines.join('\n'), highlights: lines.slice(0, 3) }
    const hasNfs = listed.some(({ program }) => program === 100_003)
    const old = [...new Set(listed.flatMap(({ program }) => legacyPrograms[program] ?? []))]
    const exported = await exportsOf(context, listed)
    return {
      [portmapper.id]: proof,
      [nfs.id]: hasNfs ? { ...proof, highlights: ['nfs'] } : null,
      [legacy.id]: old.length > 0 ? { ...proof, highlights: old } : null,
      ...(exported !== undefined && { [nfsExports.id]: exported }),
    }
  },
}

interface Mapping {
  readonly program: number
  readonly version: number
  readonly transport: number
  readonly port: number
}

async function exportsOf(context: NativeContext, listed: readonly Mapping[]): Promise<Proof | null | undefined> {
  const mounts = listed.filter(({ program, transport }) => program === mountProgram && transport === tcp)
  for (const version of mountVersions) {
    const found = mounts.find((mount) => mount.version === version)
    if (found) return worldExports(context, found.port, version)
  }
  return undefined
}

const tcp = 6
const portmapperProgram = 100_000
const dumpProcedure = 4
const mappingsMax = 200

function readDump(result: Buffer): Mapping[] {
  const { word } = xdrOf(result)
  const mappings: Mapping[] = []
  while (mappings.length < mappingsMax && word() === 1) {
    const [program, version, transport, port] = [word(), word(), word(), word()]
    if (program === undefined || version === undefined || transport === undefined || port === undefined) break
    mappings.push({ program, version, transport, port })
  }
  return mappings
}
