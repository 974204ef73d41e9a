import { checkInfo } from '#native/native.ts'
import type { NativePlace, Proof } from '#native/native.ts'
import { isWholeRecord, rpcCall, rpcResult, xdrOf } from '#native/rpc-wire.ts'

export const nfsExports = checkInfo({
  id: 'nfs-export-world',
  name: 'NFS export for everyone',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 7.5,
  summary: 'The mount service offers a folder to every client that asks for it.',
  impact: 'Whoever reaches the machine can mount the folder and read what its file modes leave open, and often write.',
  remediation: 'Name the clients of each export in /etc/exports, use Kerberos, and keep NFS behind the firewall.',
  reference: 'https://www.rfc-editor.org/rfc/rfc1813#section-5.2.5',
  tags: 'misconfig nfs rpc unauth network',
})

interface Export {
  readonly folder: string
  /** Empty: everyone. */
  readonly clients: readonly string[]
}

/** The mount service, and the version of it that is spoken here (RFC 1813, appendix I; RFC 1094, appendix A). */
export const mountProgram = 100_005
export const mountVersions = [3, 2, 1]
const exportProcedure = 5

const pathLengthMax = 1024
const nameLengthMax = 255
const exportsMax = 1000
const clientsMax = 10_000
const everyone = new Set(['*', '(everyone)', 'everyone', '0.0.0.0/0', '0.0.0.0/0.0.0.0', '::/0'])

/** Asks the mount service for its list, which mounts nothing. @returns undefined when it gave none */
export async function worldExports(
  place: NativePlace,
  port: number,
  version: number,
): Promise<Proof | null | undefined> {
  const heard = await place.askAt(port, rpcCall(mountProgram, version, exportProcedure), { enough: isWholeRecord })
  const result = heard && rpcResult(heard)
  const list = result && readExports(result)
  if (!list) return undefined
  const open = list.filter(({ clients }) => clients.length === 0 || clients.some((name) => everyone.has(name)))
  if (open.length === 0) return null
  return {
    request: `MOUNTPROC${version}_EXPORT to port ${port}`,
    answer: list.map(written).join('\n'),
    highlights: open.map(written),
    // It is the server's own word; what the file modes allow was not tried.
    quality: 95,
  }
}

function written({ folder, clients }: Export): string {
  return `${folder} ${clients.join(',') || '(everyone)'}`
}

/** Two linked lists, one in the other: each element says whether it is there. */
function readExports(result: Buffer): Export[] | undefined {
  const { word, text } = xdrOf(result)
  const list: Export[] = []
  let named = 0
  for (let more = word(); more !== 0; more = word()) {
    const folder = more === 1 ? text(pathLengthMax) : undefined
    if (folder === undefined || list.length >= exportsMax) return undefined
    const clients: string[] = []
    for (let another = word(); another !== 0; another = word()) {
      const client = another === 1 ? text(nameLengthMax) : undefined
      if (client === undefined || ++named > clientsMax) return undefined
      clients.push(client)
    }
    list.push({ folder, clients })
  }
  return list
}
