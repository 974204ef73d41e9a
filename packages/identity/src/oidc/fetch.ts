/** Calls to providers: https, or http on this machine; no redirects, and a limit on what is read. */
import type { CustomFetch } from 'openid-client'

const answerBytesMax = 1024 * 1024

/** True for a host name that is this machine by definition (RFC 6761, RFC 1122, RFC 4291). */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname)
}

/** Fetches for the OpenID client, which brings the deadline. @throws Error for an address or an answer that is not allowed */
export const boundedFetch: CustomFetch = async (address, options) => {
  const url = new URL(address)
  if (url.protocol !== 'https:' && !isLoopback(url.hostname))
    throw new Error('A provider named an address without https')
  const answer = await fetch(url, { ...options, redirect: 'manual' } as RequestInit) // the client's options are those of fetch
  const bytes = await readBounded(answer)
  return new Response(bytes.length > 0 ? bytes : null, { status: answer.status, headers: answer.headers })
}

async function readBounded(answer: Response): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of answer.body ?? []) {
    length += chunk.length
    if (length > answerBytesMax) throw new Error('A provider’s answer is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
