/** NFSv4 exports, listed as any client could list them. No file is read. */
import { checkInfo, type NativeCheck, type NativeContext, type Proof } from '#native/native-check.ts'
import { isWholeRecord, rpcCall, rpcResult, xdrOf, xdrText, xdrWords } from '#native/rpc-wire.ts'

const openExport = checkInfo({
  id: 'nfs-export-open',
  name: 'NFS export exposed without authentication',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 7.5,
  summary:
    'The NFSv4 server listed the files of an export for a client that claimed an arbitrary user ID (AUTH_SYS). The check read no files.',
  impact: "An attacker can claim the user ID of any file's owner to read the files and often change them.",
  remediation:
    'Limit each export to its clients: `/srv/data 192.0.2.0/24(rw,root_squash,sec=krb5p)` in /etc/exports, or a `CLIENT` block in NFS-Ganesha. Require Kerberos, and block TCP port 2049 at the network perimeter.',
  reference: 'https://www.rfc-editor.org/rfc/rfc7530#section-19',
  tags: 'misconfig nfs unauth network',
  verifiedOn: 'nfs-ganesha',
})

const nfsProgram = 100_003
const compoundProcedure = 1
/** Operations (RFC 7530, section 16). */
const lookup = 15
const putRootHandle = 24
const readDirectory = 26
/** Attributes `type` and `rdattr_error` (RFC 7530, section 5.6). An error in place of a type is not a failed call. */
const typeBit = 1 << 1
const errorBit = 1 << 11
const directoryType = 2
const listingBytesMax = 8192

const nameLengthMax = 255
const entriesMax = 500
const depthMax = 4
const directoriesMax = 24
const namesShown = 10

interface Entry {
  readonly name: string
  /** Undefined if the client isn't permitted to read it. */
  readonly type: number | undefined
}

/**
 * Walks the directories from the root until one contains a file. Directories alone prove nothing: servers list those
 * that lead to an export to every client.
 */
export const nfsVersion4: NativeCheck = {
  checks: [openExport],
  appliesTo: ({ protocol, transport }) => protocol === 'nfs' && transport === 'tcp',
  async run(context) {
    const queue: (readonly string[])[] = [[]]
    for (let requests = 0; queue.length > 0 && requests < directoriesMax; requests++) {
      const path = queue.shift() ?? []
      const entries = await listDirectory(context, path)
      if (!entries && path.length === 0) return {}
      const files = entries?.filter(({ type }) => type !== undefined && type !== directoryType) ?? []
      if (files.length > 0) return { [openExport.id]: proofOf(path, files) }
      const folders = entries?.filter(({ type }) => type === directoryType) ?? []
      if (path.length < depthMax) queue.push(...folders.map(({ name }) => [...path, name]))
    }
    return { [openExport.id]: null }
  },
}

function proofOf(path: readonly string[], files: readonly Entry[]): Proof {
  const folder = `/${path.join('/')}`
  const names = files.slice(0, namesShown).map(({ name }) => name)
  return { request: `NFSv4 READDIR ${folder} (AUTH_SYS, user ID 65534)`, answer: names.join('\n'), highlights: names }
}

/** @returns undefined when there was no valid response or the server refused */
async function listDirectory(context: NativeContext, path: readonly string[]): Promise<Entry[] | undefined> {
  const received = await context.exchange(listingCall(path), { enough: isWholeRecord })
  const result = received && rpcResult(received)
  return result && readListing(result, path.length)
}

function listingCall(path: readonly string[]): Buffer {
  return rpcCall(nfsProgram, 4, compoundProcedure, {
    asAnyUser: true,
    args: Buffer.concat([
      // An empty tag, minor version 0, and the number of operations.
      xdrWords(0, 0, path.length + 2, putRootHandle),
      ...path.flatMap((name) => [xdrWords(lookup), xdrText(name)]),
      // From the start (cookie and verifier), then limits and one word of attributes.
      xdrWords(readDirectory, 0, 0, 0, 0, listingBytesMax, listingBytesMax, 1, typeBit | errorBit),
    ]),
  })
}

function readListing(result: Buffer, depth: number): Entry[] | undefined {
  const { word, text } = xdrOf(result)
  if (word() !== 0 || text(nameLengthMax) === undefined || word() !== depth + 2) return undefined
  for (const operation of [putRootHandle, ...Array.from({ length: depth }, () => lookup), readDirectory])
    if (word() !== operation || word() !== 0) return undefined
  word()
  word()
  const entries: Entry[] = []
  for (let more = word(); more !== 0; more = word()) {
    if (more !== 1 || entries.length >= entriesMax) return undefined
    word()
    word()
    const name = text(nameLengthMax)
    const [bitmap, ...others] = Array.from({ length: Math.min(word() ?? 0, 3) }, word)
    const values = text(listingBytesMax)
    if (name === undefined || bitmap === undefined || values === undefined || others.includes(undefined))
      return undefined
    entries.push({ name, type: bitmap & typeBit ? xdrOf(Buffer.from(values, 'latin1')).word() : undefined })
  }
  return entries
}
