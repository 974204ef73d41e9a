/** What raw responses reveal before their protocol is known. */
import type { FingerprintText } from '#fingerprint/fingerprint-text.ts'
import { oneLine } from '#fingerprint/text.ts'
import { titleOf } from '#fingerprint/web-traces.ts'

/** HTTP, including servers such as Netty that echo the protocol of the request. SIP and RTSP require a CSeq. */
export function isWeb(text: string): boolean {
  return /^HTTP\/\d/.test(text) || (/^(?:SIP|RTSP)\/\d\.\d \d{3} /.test(text) && !/\nCSeq\s{0,9}:/i.test(text))
}

export function longer(one: Buffer, other: Buffer): Buffer {
  return one.length >= other.length ? one : other
}

/** The server and the title of a response that is not valid HTTP, or whose page could not be requested again. */
export function responseTraces(response: string): readonly FingerprintText[] {
  const text = response.slice(0, 4096)
  const [, server = ''] = /^server:[ \t]{0,20}([^\r\n]{1,200})/im.exec(text) ?? []
  return [
    { field: 'http_header.server', text: server },
    { field: 'html_title', text: oneLine(titleOf(text), 500) },
  ].filter((trace) => trace.text !== '')
}

/** A TLS alert in response to plaintext. */
export function isTlsAlert(response: Buffer): boolean {
  return response[0] === 0x15 && response[1] === 3
}

/** Motion JPEG, a response that never ends. */
export function isVideoStream(text: string): boolean {
  return /^HTTP\/1\.[01] 200 [\s\S]{0,2000}\ncontent-type:\s{0,9}multipart\/x-mixed-replace/i.test(text)
}
