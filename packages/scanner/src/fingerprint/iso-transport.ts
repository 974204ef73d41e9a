/* oxlint-disable no-control-regex -- binary protocols are made of control characters */
/** Queries of the industrial protocols on ISO transport (RFC 1006): S7 of Siemens controllers, and MMS of IEC 61850. */
import type { FingerprintText } from '#fingerprint/fingerprint-text.ts'
import type { TcpConnection } from '#net/tcp.ts'
import { hex } from '#wire.ts'

const readOptions = { firstByteMs: 2000, idleMs: 500, bytesMax: 4096, enough: isPacket }

/** Connection request to rack 0, slot 2, setup of communication, and the system status list of the module's identity. */
const s7Requests = [
  '0300001611e00000000100c0010ac1020100c2020102',
  '0300001902f08032010000000000080000f0000001000101e0',
  '0300002102f080320700000200000800080001120411440100ff09000400110000',
].map(hex)

/**
 * Connection request to the usual selector, the initiate service with proposals of one megabit and five calls, and the
 * identify service (ISO 9506-2).
 */
const mmsRequests = [
  '0300001611e00000000100c0010dc2020001c1020001',
  [
    '030000bb02f0800db20506130100160102140200023302000134020001c19c318199a003800101a2819181040000000182040000',
    '0001a423300f0201010604520100013004060251013010020103060528ca220201300406025101615e305c020101a0576055a107',
    '060528ca220203a20706052901876701a30302010ca606060429018767a70302010cbe2f282d020103a028a826800300fde88101',
    '0582010583010aa416800101810305f100820c03ee1c00000408000079ef18',
  ].join(''),
  '0300001b02f08001000100610e300c020103a007a0050201018200',
].map(hex)

/** Order number and firmware version, such as `6ES7 315-2EH14-0AB0 V3.2.6`. */
export async function s7Identity(connection: TcpConnection): Promise<readonly FingerprintText[]> {
  const response = await converse(connection, s7Requests)
  const [, order] = /\x00\x01(6[A-Z0-9]{3} [A-Z0-9-]{8,15}) {0,10}\x00/.exec(response) ?? []
  if (order === undefined) return []
  const [, firmware] = /\x00\x07[\s\S]{22}V([\s\S]{3})/.exec(response) ?? []
  const version = firmware === undefined ? '' : ` V${[...Buffer.from(firmware, 'latin1')].join('.')}`
  return [{ field: 's7.identity', text: order + version }]
}

/** Vendor, model, and revision, one per line. */
export async function mmsIdentity(connection: TcpConnection): Promise<readonly FingerprintText[]> {
  const response = await converse(connection, mmsRequests)
  const identity = Buffer.from(
    /\xa1[\s\S]\x02\x01\x01\xa2[\s\S](\x80[\s\S]{1,300})$/.exec(response)?.[1] ?? '',
    'latin1',
  )
  const texts: string[] = []
  for (let at = 0; at + 2 <= identity.length && texts.length < 3; at += 2 + (identity[at + 1] ?? 0))
    texts.push(identity.toString('latin1', at + 2, at + 2 + (identity[at + 1] ?? 0)))
  return texts.length < 3 ? [] : [{ field: 'mms.identity', text: texts.join('\n') }]
}

/** The response to the last request; empty if the server rejected one of them. */
async function converse(connection: TcpConnection, requests: readonly Uint8Array[]): Promise<string> {
  let response = ''
  for (const request of requests) {
    connection.write(request)
    response = (await connection.read(readOptions)).toString('latin1')
    if (!/^\x03\x00[\s\S]{3}[\xd0\xf0]/.test(response)) return ''
  }
  return response
}

function isPacket(received: Buffer): boolean {
  return received.length >= 4 && received.length >= received.readUInt16BE(2)
}
