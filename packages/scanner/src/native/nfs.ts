import { checkInfo, type NativeContext, type Proof } from '#native/native-check.ts'
import { isWholeRecord, rpcCall, rpcResult, xdrOf } from '#native/rpc-wire.ts'

export const nfsExports = checkInfo({
  id: 'nfs-export-world',
  name: 'NFS export exposed to any host',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 7.5,
  summary: 'The NFS server exports a directory to all clients. The check did not mount it.',
  impact: 'An attacker can mount the directory, read the files that their permissions allow, and often change them.',
  remediation:
    'Limit each export to its clients in /etc/exports, for example `/srv/data 192.0.2.0/24(rw,root_squash,sec=krb5p)`, apply it with `exportfs -ra`, and block NFS at the network perimeter.',
  reference: 'https://www.rfc-editor.org/rfc/rfc1813#section-5.2.5',
  tags: 'misconfig nfs rpc unauth network',
})

interface Export {
  readonly folder: string
  /** Empty: everyone. */
  readonly clients: readonly string[]
}

/** The mount program, and the version used here (RFC 1813, appendix I; RFC 1094, appendix A). */
export const mountProgram = 100_005
export const mountVersions = [3, 2, 1]
const exportProcedure = 5

const pathLengthMax = 1024
const nameLengthMax = 255
const exportsMax = 1000
const clientsMax = 10_000
const everyone = new Set(['*', '(everyone)', 'everyone', '0.0.0.0/0', '0.0.0.0/0.0.0.0', '::/0'])

/**
 * Queries the export list without mounting anything.
 *
 * @returns undefined when there was no valid response
 */
export async function worldExports(
  context: NativeContext,
  port: number,
  version: number,
): Promise<Proof | null | undefined> {
  const received = await context.exchangeOnPort(port, rpcCall(mountProgram, version, exportProcedure), {
    enough: isWholeRecord,
  })
  const result = received && rpcResult(received)
  const list = result && readExports(result)
  if (!list) return undefined
  const open = list.filter(({ clients }) => clients.length === 0 || clients.some((name) => everyone.has(name)))
  if (open.length === 0) return null
  return {
    request: `MOUNTPROC${version}_EXPORT to port ${port}`,
    answer: list.map(formatExport).join('\n'),
    highlights: open.map(formatExport),
    // Based on the server's export list; file permissions were not tested.
    quality: 95,
  }
}

function formatExport({ folder, clients }: Export): string {
  return `${folder} ${clients.join(',') || '(everyone)'}`
}

/** Two nested linked lists: a flag before each element says whether it exists. */
function readExports(result: Buffer): Export[] | undefined {
  const { word, text } = xdrOf(result)
  const list: Export[] = []
  let clientCount = 0
  for (let more = word(); more !== 0; more = word()) {
    const folder = more === 1 ? text(pathLengthMax) : undefined
    if (folder === undefined || list.length >= exportsMax) return undefined
    const clients: string[] = []
    for (let another = word(); another !== 0; another = word()) {
      const client = another === 1 ? text(nameLengthMax) : undefined
      if (client === undefined || ++clientCount > clientsMax) return undefined
      clients.push(client)
    }
    list.push({ folder, clients })
  }
  return list
}
