/** Lists user accounts through the security account manager's named pipe (MS-SAMR). */
import { callPipe, textsFrom, varyingText, type Call, type Exchange } from '#native/smb-pipe.ts'
import { hex } from '#wire.ts'

const accountManager = { name: 'samr', syntax: hex('785734123412cdabef000123456789ac 01000000') }
const operations = { lookupDomain: 5, enumerateDomains: 6, openDomain: 7, enumerateUsers: 13, connect: 57 }
/** Rights to enumerate and look up domains, and to list accounts (MS-SAMR 2.2.1.3, 2.2.1.4). */
const serverAccess = hex('30000000')
const domainAccess = hex('00030000')
/** Keeps a list within one fragment. */
const lengthMax = hex('00080000')
const handleLength = 20
const usersMax = 50

/** User accounts of the server's own domain; results as for callPipe. */
export async function listUsers(exchange: Exchange, address: string): Promise<readonly string[] | null | undefined> {
  return callPipe(exchange, accountManager, async (call) => {
    const name = Buffer.concat([hex('00000200'), varyingText(`\\\\${address}\0`)])
    const server = await handleFrom(call, operations.connect, Buffer.concat([name, serverAccess]))
    if (!server) return server
    const domains = await call(operations.enumerateDomains, Buffer.concat([server, hex('00000000'), lengthMax]))
    const own = domains && readNames(domains).find((domain) => domain !== 'Builtin')
    if (own === undefined || own === null) return null
    const found = await call(operations.lookupDomain, Buffer.concat([server, countedText(own)]))
    const sid = found && readSid(found)
    if (!sid) return null
    const domain = await handleFrom(call, operations.openDomain, Buffer.concat([server, domainAccess, sid]))
    if (!domain) return domain
    const anyControl = hex('00000000')
    const users = Buffer.concat([domain, hex('00000000'), anyControl, lengthMax])
    const listed = await call(operations.enumerateUsers, users)
    return listed && readNames(listed)
  })
}

/** A context handle followed by the status. */
async function handleFrom(call: Call, operation: number, stub: Buffer): Promise<Buffer | null | undefined> {
  const result = await call(operation, stub)
  if (!result) return result
  const isOpen = result.length >= handleLength + 4 && result.readUInt32LE(handleLength) === 0
  return isOpen ? Buffer.from(result.subarray(0, handleLength)) : null
}

/** RPC_UNICODE_STRING (MS-DTYP 2.3.10). */
function countedText(text: string): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt16LE(text.length * 2)
  head.writeUInt16LE(text.length * 2, 2)
  head.writeUInt32LE(0x20000, 4)
  return Buffer.concat([head, varyingText(text)])
}

/** SAMPR_ENUMERATION_BUFFER (MS-SAMR 2.2.7.10): entries of 12 bytes, then their names. */
function readNames(stub: Buffer): readonly string[] {
  if (stub.length < 20 || stub.readUInt32LE(4) === 0 || stub.readUInt32LE(12) === 0) return []
  const count = stub.readUInt32LE(16)
  const text = textsFrom(stub, 20 + count * 12)
  return Array.from({ length: Math.min(count, usersMax) }, (_, index) => text(stub.readUInt32LE(20 + index * 12 + 8)))
}

/** A referenced SID as a conformant array (MS-DTYP 2.4.2.3). */
function readSid(stub: Buffer): Buffer | undefined {
  if (stub.length < 16 || stub.readUInt32LE(0) === 0) return undefined
  const end = 8 + 8 + stub.readUInt32LE(4) * 4
  return end <= stub.length ? Buffer.from(stub.subarray(4, end)) : undefined
}
