/** Responses of Snap7 1.4 and libIEC61850 1.6, recorded. */
import { expect, it } from 'vitest'
import { mmsIdentity, s7Identity } from '#fingerprint/iso-transport.ts'
import type { TcpConnection } from '#net/tcp.ts'

const s7 = [
  '0300001611d00001000100c0010ac1020100c2020102',
  '0300001b02f080320300000000000800000000f0000001000101e0',
  '0300009902f080320700000200000c007c000112081284010000000000ff09007800110000001c0004000136455337203331352d32454831342d304142302000c000040001000636455337203331352d32454831342d304142302000c0000400010007202020202020202020202020202020202020202000c0560302060081426f6f74204c6f61646572202020202020202020000041200909',
]
const mms = [
  '0300001611d00001000100c0010dc2020001c1020001',
  '0300008f02f0800e8605061301001601021402000234020001c1743172a003800101a26b830400000001a512300780010081025101300780010081025101614f304d020101a0486146a107060528ca220203a203020100a305a103020100be2f282d020103a028a926800300fde881010582010583010aa416800101810305f100820c03ee1c00000002000040ed18',
  '0300002e02f080010001006121301f020103a01aa118020101a21380034c6162810752656c617920378203322e31',
]

/** A connection to a server that returns these responses, one to each request. */
function connectionTo(responses: readonly string[]): TcpConnection {
  const left = [...responses]
  return {
    write() {},
    read: async () => Buffer.from(left.shift() ?? '', 'hex'),
    close() {},
  } as Partial<TcpConnection> as TcpConnection
}

it('reads the order number and firmware version of a controller', async () => {
  expect(await s7Identity(connectionTo(s7))).toEqual([{ field: 's7.identity', text: '6ES7 315-2EH14-0AB0 V3.2.6' }])
})

it('reads the vendor, model, and revision of an IEC 61850 device', async () => {
  expect(await mmsIdentity(connectionTo(mms))).toEqual([{ field: 'mms.identity', text: 'Lab\nRelay 7\n2.1' }])
})

it.each([
  ['another protocol', [s7[0] ?? '', '15030100020228']],
  ['a rejected connection', ['0300000b06800000000100']],
  ['nothing', []],
  ['a truncated identity', [mms[0] ?? '', mms[1] ?? '', '0300002e02f080010001006121301f020103a01aa118020101a21380ff']],
])('reads nothing from %s', async (_, responses) => {
  expect(await s7Identity(connectionTo(responses))).toEqual([])
  expect(await mmsIdentity(connectionTo(responses))).toEqual([])
})
