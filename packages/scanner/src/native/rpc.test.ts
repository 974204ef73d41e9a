import { describe, expect, it } from 'vitest'
import { isWholeRecord, rpcResult } from '#native/rpc-wire.ts'
import { answering, runNativeChecks, tcpPeer } from '#native/testing/examine.ts'

const nfs = 100_003
const mountd = 100_005
const words = (...values: number[]) => {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4)
  return bytes
}
const text = (value: string) =>
  Buffer.concat([words(value.length), Buffer.from(value.padEnd(Math.ceil(value.length / 4) * 4, '\0'), 'latin1')])
/** One record with a successful reply to our call. */
const reply = (...parts: Buffer[]) => {
  const record = Buffer.concat([words(0x474c4143, 1, 0, 0, 0, 0), ...parts])
  return Buffer.concat([words(0x8000_0000 + record.length), record])
}
/** Portmapper entries: program, version, protocol (6 is TCP), port. */
const dump = (...mappings: (readonly [number, number, number, number])[]) =>
  reply(...mappings.map((mapping) => words(1, ...mapping)), words(0))
const exports = (list: Record<string, string[]>) =>
  reply(
    ...Object.entries(list).flatMap(([folder, clients]) => [
      words(1),
      text(folder),
      ...clients.flatMap((client) => [words(1), text(client)]),
      words(0),
    ]),
    words(0),
  )

it('reports the entries of the portmapper', async () => {
  await using peer = await tcpPeer(answering('', () => dump([100_000, 2, 6, 111], [nfs, 3, 6, 2049])))
  expect((await runNativeChecks(peer, { protocol: 'rpcbind' })).found).toEqual(['rpcbind-open', 'nfs-reachable'])
  await using plain = await tcpPeer(answering('', () => dump([100_000, 2, 6, 111])))
  expect((await runNativeChecks(plain, { protocol: 'rpcbind' })).found).toEqual(['rpcbind-open'])
  await using old = await tcpPeer(answering('', () => dump([100_004, 2, 17, 834], [100_002, 2, 17, 840])))
  expect((await runNativeChecks(old, { protocol: 'rpcbind' })).found).toEqual(['rpcbind-open', 'rpc-legacy-service'])
  await using other = await tcpPeer(answering('', () => 'HTTP/1.1 400 Bad Request\r\n\r\n'))
  expect((await runNativeChecks(other, { protocol: 'rpcbind' })).seen).toEqual([])
})

describe('NFS exports', () => {
  /** A portmapper that advertises a mount service with this response. */
  async function asked(response: Buffer) {
    const questions: Buffer[] = []
    const talk = answering('', (_said, raw) => {
      questions.push(raw)
      return response
    })
    await using mount = await tcpPeer(talk)
    const mappings = [1, 3, 2].map((version) => [mountd, version, 6, mount.port] as const)
    await using peer = await tcpPeer(answering('', () => dump([mountd, 3, 17, 9], ...mappings)))
    return { ...(await runNativeChecks(peer, { protocol: 'rpcbind' })), questions }
  }

  it.each([
    ['a wildcard', { '/srv/data': ['192.0.2.0/24', '*'] }],
    ['an empty client list', { '/home': ['db.lab.test'], '/srv/data': [] }],
    ['every address', { '/srv/data': ['0.0.0.0/0'] }],
  ])('are accessible to everyone for %s', async (_what, list) => {
    const { found, seen, questions } = await asked(exports(list))
    expect(found).toEqual(['rpcbind-open', 'nfs-export-world'])
    expect(seen).toContainEqual(expect.objectContaining({ check: 'nfs-export-world', quality: 95 }))
    // Version 3, EXPORT: lists without mounting.
    expect(questions).toEqual([Buffer.concat([words(0x8000_0028, 0x474c4143, 0, 2, mountd, 3, 5), words(0, 0, 0, 0)])])
  })

  it('are not reported when each lists its clients or when there are none', async () => {
    for (const list of [{ '/srv/data': ['192.0.2.0/24', '*.lab.test', '@backup'] }, {}]) {
      const { found, covered } = await asked(exports(list))
      expect([found, covered]).toEqual([
        ['rpcbind-open'],
        ['rpcbind-open', 'nfs-reachable', 'rpc-legacy-service', 'nfs-export-world'],
      ])
    }
  })

  it.each([
    ['a truncated list', reply(words(1), text('/srv/data'))],
    ['a name with a wrong length', reply(words(1, 5000), Buffer.from('/srv'))],
    ['an error reply', Buffer.concat([words(0x8000_0018), words(0x474c4143, 1, 0, 0, 0, 1)])],
    ['another protocol', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ])('are inconclusive after %s', async (_what, response) => {
    expect((await asked(response)).covered).toEqual(['rpcbind-open', 'nfs-reachable', 'rpc-legacy-service'])
  })
})

it('joins the fragments of a record', () => {
  const head = words(0x474c4143, 1, 0, 0, 0, 0)
  const fragments = Buffer.concat([words(head.length), head, words(0x8000_0004), words(7)])
  expect(rpcResult(fragments)).toEqual(words(7))
  expect(isWholeRecord(fragments.subarray(0, fragments.length - 1))).toBe(false)
})
