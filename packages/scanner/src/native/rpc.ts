import { checkInfo, hex } from '#native/native.ts'
import type { NativeSubject } from '#native/native.ts'

const portmapper = checkInfo({
  id: 'rpcbind-open',
  name: 'Portmapper reachable',
  severity: 'low',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:L/I:N/A:N',
  score: 3.7,
  summary: 'The portmapper lists the RPC programs of the machine and their ports for everyone.',
  impact: 'It shows the way to services such as NFS, and by UDP it can be used to flood others.',
  remediation: 'Stop rpcbind where no RPC is used, and keep port 111 behind the firewall.',
  reference: 'https://www.rfc-editor.org/rfc/rfc1833',
  tags: 'misconfig rpc disclosure network',
})
const nfs = checkInfo({
  id: 'nfs-reachable',
  name: 'NFS reachable',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:L/I:L/A:N',
  score: 4.8,
  summary: 'The machine offers NFS and its mount service to this network.',
  impact: 'Where exports name no clients, files can be read and written by everyone.',
  remediation: 'Let only the clients reach NFS, name them in the exports, and use Kerberos.',
  reference: 'https://www.rfc-editor.org/rfc/rfc7530#section-19',
  tags: 'misconfig nfs rpc network',
})
const programs: Readonly<Record<number, string>> = {
  100000: 'portmapper',
  100003: 'nfs',
  100005: 'mountd',
  100021: 'nlockmgr',
  100024: 'status',
}

/** DUMP of the portmapper, version 2 (RFC 1833). */
export const rpcbind: NativeSubject = {
  checks: [portmapper, nfs],
  concerns: ({ protocol, transport }) => protocol === 'rpcbind' && transport === 'tcp',
  async examine(place) {
    const heard = await place.ask(dumpCall)
    const listed = heard && readDump(heard)
    if (!listed) return {}
    const lines = listed.map(
      ({ program, version, port }) => `${program} ${programs[program] ?? ''} version ${version} port ${port}`,
    )
    const proof = { request: 'PMAPPROC_DUMP', answer: lines.join('\n'), highlights: lines.slice(0, 3) }
    const hasNfs = listed.some(({ program }) => program === 100_003)
    return { [portmapper.id]: proof, [nfs.id]: hasNfs ? { ...proof, highlights: ['nfs'] } : null }
  },
}

const dumpCall: Buffer = hex(
  '80000028 474c4143 00000000 00000002 000186a0 00000002 00000004 00000000 00000000 00000000 00000000',
)

function readDump(heard: Buffer): { program: number; version: number; port: number }[] | undefined {
  // Fragment header, id, REPLY, accepted, verifier of no bytes, success.
  if (heard.length < 28 || heard.readUInt32BE(4) !== 0x474c4143 || heard.readUInt32BE(24) !== 0) return undefined
  const found: { program: number; version: number; port: number }[] = []
  for (let at = 28; at + 20 <= heard.length && heard.readUInt32BE(at) === 1 && found.length < 100; at += 20) {
    found.push({
      program: heard.readUInt32BE(at + 4),
      version: heard.readUInt32BE(at + 8),
      port: heard.readUInt32BE(at + 16),
    })
  }
  return found
}
