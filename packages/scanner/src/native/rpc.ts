import { checkInfo } from '#native/native.ts'
import type { NativePlace, NativeSubject, Proof } from '#native/native.ts'
import { mountProgram, mountVersions, nfsExports, worldExports } from '#native/nfs.ts'
import { isWholeRecord, rpcCall, rpcResult, xdrOf } from '#native/rpc-wire.ts'

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

/** DUMP of the portmapper, version 2 (RFC 1833), and what the mount service that it names exports. */
export const rpcbind: NativeSubject = {
  checks: [portmapper, nfs, nfsExports],
  concerns: ({ protocol, transport }) => protocol === 'rpcbind' && transport === 'tcp',
  async examine(place) {
    const heard = await place.ask(rpcCall(portmapperProgram, 2, dumpProcedure), { enough: isWholeRecord })
    const result = heard && rpcResult(heard)
    const listed = result && readDump(result)
    if (!listed) return {}
    const lines = listed.map(
      ({ program, version, port }) => `${program} ${programs[program] ?? ''} version ${version} port ${port}`,
    )
    const proof = { request: 'PMAPPROC_DUMP', answer: lines.join('\n'), highlights: lines.slice(0, 3) }
    const hasNfs = listed.some(({ program }) => program === 100_003)
    const exported = await exportsOf(place, listed)
    return {
      [portmapper.id]: proof,
      [nfs.id]: hasNfs ? { ...proof, highlights: ['nfs'] } : null,
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

async function exportsOf(place: NativePlace, listed: readonly Mapping[]): Promise<Proof | null | undefined> {
  const mounts = listed.filter(({ program, transport }) => program === mountProgram && transport === tcp)
  for (const version of mountVersions) {
    const found = mounts.find((one) => one.version === version)
    if (found) return worldExports(place, found.port, version)
  }
  return undefined
}

const tcp = 6
const portmapperProgram = 100_000
const dumpProcedure = 4
const mappingsMax = 200

function readDump(result: Buffer): Mapping[] {
  const { word } = xdrOf(result)
  const found: Mapping[] = []
  while (found.length < mappingsMax && word() === 1) {
    const [program, version, transport, port] = [word(), word(), word(), word()]
    if (program === undefined || version === undefined || transport === undefined || port === undefined) break
    found.push({ program, version, transport, port })
  }
  return found
}
