/* oxlint-disable no-control-regex -- binary protocols are made of control characters */
/** Native checks for Java RMI registries and Java Management Extensions (JMX) over RMI. */
import { bytes, hex } from '#wire.ts'
import { checkInfo, type NativeCheck, type Proof } from '#native/native-check.ts'
import type { TcpConnection } from '#net/tcp.ts'

const jmxOpen = checkInfo({
  id: 'jmx-open',
  name: 'JMX exposed without authentication',
  severity: 'critical',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
  score: 9.8,
  summary: 'A Java application accepts Java Management Extensions (JMX) connections over RMI without credentials.',
  impact: "An attacker can read and change the application's state and, in most cases, run arbitrary code.",
  remediation:
    'Set `com.sun.management.jmxremote.authenticate=true` with a password file, enable `com.sun.management.jmxremote.ssl`, and bind JMX to an internal interface with `com.sun.management.jmxremote.host`.',
  reference: 'https://docs.oracle.com/en/java/javase/21/management/monitoring-and-management-using-jmx-technology.html',
  tags: 'misconfig rmi jmx java unauth network',
  verifiedOn: 'jmx',
})
const registryOpen = checkInfo({
  id: 'rmi-registry-open',
  name: 'Java RMI registry exposed',
  severity: 'low',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:L/I:N/A:N',
  score: 3.7,
  summary: 'A Java RMI registry lists its remote objects to any client.',
  impact:
    'An attacker learns which objects the application exports, and can try to call them. Objects that accept calls without authentication may also deserialize crafted Java objects.',
  remediation: 'Bind the registry to an internal interface, and allow only trusted clients in the firewall.',
  reference: 'https://docs.oracle.com/en/java/javase/21/docs/specs/rmi/registry.html',
  tags: 'misconfig rmi java disclosure network',
  verifiedOn: 'karaf rmi-registry',
})
const jmeterOpen = checkInfo({
  id: 'jmeter-server-open',
  name: 'JMeter server exposed without authentication',
  severity: 'critical',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
  score: 9.8,
  summary:
    'The RMI registry of an Apache JMeter server (`jmeter-server`) is accessible without TLS client authentication.',
  impact: 'An attacker can make the server run a test plan, which can contain scripts and operating system commands.',
  remediation:
    'Remove `server.rmi.ssl.disable=true`, use your own keystore (`server.rmi.ssl.keystore.file`), so that only clients with its key can connect, and allow only the JMeter client to reach the ports.',
  reference: 'https://jmeter.apache.org/usermanual/remote-test.html',
  tags: 'misconfig rmi jmeter java unauth network',
  verifiedOn: 'jmeter-server',
})

const readOptions = { firstByteMs: 3000, idleMs: 300, bytesMax: 65_536 }
const streamProtocol = hex('4a524d49 0002 4b')
/** The endpoint that the client offers; servers ignore it. */
const endpoint = hex('0000 00000000')
/** The well-known object ID of a registry. */
const registryId = Buffer.alloc(22)
/** Hashes of the registry's interface and of `RMIServer.newClient(Object)`, from the JDK's stubs. */
const registryHash = 0x44154dc9d4e63bdfn
const newClientHash = -1089742558549201240n
const operations = { byHash: -1, list: 1, lookup: 2 }
const jmxName = 'jmxrmi'
const jmeterName = 'JMeterEngine'
/** Of objects that may be a JMX server under another name, as in Apache Karaf. */
const lookupsMax = 4

/** Lists the registry, and opens a JMX session without credentials; calls nothing in it. */
export const jmx: NativeCheck = {
  checks: [registryOpen, jmxOpen, jmeterOpen],
  appliesTo: ({ protocol }) => protocol === 'rmi',
  async run(context) {
    const ask = (call: Buffer) => context.withConnection((connection) => callOn(connection, call))
    const listed = await ask(callOf(registryId, operations.list, registryHash))
    if (!isReturn(listed, '[Ljava.lang.String;')) return {}
    const names = [...listed.toString('latin1').matchAll(/t\0[\x01-\xff]([\x20-\x7e]{1,100})/g)].map(
      ([, name = '']) => name,
    )
    const answer = `Registered objects: ${names.join(', ') || '(none)'}`
    const registry = { request: 'RMI registry list()', answer, highlights: [answer] }
    const jmeter = names.includes(jmeterName) ? { ...registry, highlights: [jmeterName] } : null
    const found = { [registryOpen.id]: registry, [jmeterOpen.id]: jmeter }
    for (const name of names.includes(jmxName) ? [jmxName] : names.slice(0, lookupsMax)) {
      const stub = stubOf(await ask(callOf(registryId, operations.lookup, registryHash, textOf(name))))
      if (!stub) continue
      const call = Buffer.concat([
        streamProtocol,
        endpoint,
        callOf(stub.id, operations.byHash, newClientHash, hex('70')),
      ])
      const reply = await context.exchangeOnPort(stub.port, call, { ...readOptions, idleMs: 500 })
      return { ...found, ...(reply && { [jmxOpen.id]: sessionProof(reply, stub.port) }) }
    }
    return { ...found, [jmxOpen.id]: null }
  },
}

function sessionProof(reply: Buffer, port: number): Proof | null {
  const stubName = 'javax.management.remote.rmi.RMIConnectionImpl_Stub'
  if (!reply.includes(stubName)) return null
  return { request: `RMIServer.newClient(null) on port ${port}`, answer: stubName, highlights: [stubName] }
}

async function callOn(connection: TcpConnection, call: Buffer): Promise<Buffer> {
  connection.write(streamProtocol)
  await connection.read({ ...readOptions, enough: (all) => all.length >= 7 && all.length >= 7 + all.readUInt16BE(1) })
  connection.write(Buffer.concat([endpoint, call]))
  return connection.read(readOptions)
}

/**
 * A call message (RMI wire protocol, section 10.2): a block with object ID, operation, and hash; then the arguments.
 */
function callOf(id: Buffer, operation: number, hash: bigint, argument: Buffer = Buffer.alloc(0)): Buffer {
  const numbers = Buffer.alloc(12)
  numbers.writeInt32BE(operation)
  numbers.writeBigInt64BE(hash, 4)
  return Buffer.concat([hex('50 aced0005 7722'), id, numbers, argument])
}

function textOf(text: string): Buffer {
  const head = hex('74 0000')
  head.writeUInt16BE(text.length, 1)
  return Buffer.concat([head, bytes(text)])
}

function isReturn(reply: Buffer | undefined, type: string): reply is Buffer {
  return reply?.toString('latin1', 0, 8) === 'Q\xac\xed\0\x05w\x0f\x01' && reply.includes(type)
}

/** Port and object ID of the JMX server's stub. */
function stubOf(reply: Buffer | undefined): { port: number; id: Buffer } | undefined {
  if (!isReturn(reply, 'javax.management.remote.rmi.RMIServer')) return undefined
  const start = reply.indexOf('UnicastRef')
  if (start < 0) return undefined
  const host = start + (reply[start + 10] === 0x32 ? 12 : 10)
  const port = host + 2 + reply.readUInt16BE(host)
  return { port: reply.readUInt32BE(port), id: reply.subarray(port + 4, port + 26) }
}
