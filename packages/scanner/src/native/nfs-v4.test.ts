/* oxlint-disable no-control-regex -- binary protocols are made of control characters */
import { expect, it } from 'vitest'
import { xdrText, xdrWords } from '#native/rpc-wire.ts'
import { answering, runNativeChecks, tcpPeer } from '#native/testing/examine.ts'

const directory = 2
const file = 1
type Listing = Readonly<Record<string, number>>

const reply = (...parts: Buffer[]) => {
  const record = Buffer.concat([xdrWords(0x474c4143, 1, 0, 0, 0, 0), ...parts])
  return Buffer.concat([xdrWords(0x8000_0000 + record.length), record])
}
/** An error that ends the compound at its last operation. */
const failed = (status: number) => reply(xdrWords(status, 0, 1, 24, status))

function listing(depth: number, entries: Listing): Buffer {
  const lookups = Array.from({ length: depth }, () => xdrWords(15, 0))
  const items = Object.entries(entries).map(([name, type]) =>
    Buffer.concat([xdrWords(1, 0, 7), xdrText(name), xdrWords(1, 2, 4, type)]),
  )
  return reply(xdrWords(0, 0, depth + 2, 24, 0), ...lookups, xdrWords(26, 0, 0, 0), ...items, xdrWords(0, 1))
}

/** Runs the checks on a server that responds to each path. */
async function asked(respond: (path: string) => Buffer) {
  await using peer = await tcpPeer(
    answering('', (_text, received) => {
      // Names follow the operation LOOKUP and their length.
      const names = [...received.toString('latin1').matchAll(/\0\0\0\x0f\0\0\0[\x01-\x20]([a-z]+)/g)]
      return respond(`/${names.map(([, name]) => name).join('/')}`)
    }),
  )
  return await runNativeChecks(peer, { protocol: 'nfs' })
}
const tree = (folders: Readonly<Record<string, Listing>>) => (path: string) => {
  const entries = folders[path]
  return entries ? listing(path.split('/').filter(Boolean).length, entries) : failed(2)
}

it('reports a file in a directory that any client can list', async () => {
  const { found, seen } = await asked(
    tree({ '/': { srv: directory }, '/srv': { data: directory }, '/srv/data': { salaries: file } }),
  )
  expect(found).toEqual(['nfs-export-open'])
  expect(JSON.stringify(seen)).toContain('READDIR /srv/data')
})

it('does not report directories that lead to a refused export', async () => {
  const { found, covered } = await asked(tree({ '/': { srv: directory }, '/srv': { data: directory } }))
  expect([found, covered]).toEqual([[], ['nfs-export-open']])
})

it('follows directories only to a limited depth', async () => {
  let requests = 0
  const { found } = await asked((path) => {
    requests++
    return listing(path.split('/').filter(Boolean).length, { a: directory, b: directory, c: directory })
  })
  expect([found, requests]).toEqual([[], 24])
})

it.each([
  ['a refused root', failed(13)],
  ['a truncated list', reply(xdrWords(0, 0, 2, 24, 0, 26, 0, 0, 0, 1))],
  ['another protocol', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
])('is inconclusive after %s', async (_what, response) => {
  expect((await asked(() => response)).covered).toEqual([])
})
