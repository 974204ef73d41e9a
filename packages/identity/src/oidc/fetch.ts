/** HTTP requests to providers: HTTPS (or HTTP on loopback), no redirects, and a response size limit. */
import type { CustomFetch } from 'openid-client'

const responseBytesMax = 1024 * 1024

/** True for hostnames that always refer to the local machine (RFC 6761, RFC 1122, RFC 4291). */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname)
}

/**
 * Fetch function for the OpenID client, which sets the timeout. It throws if the URL is insecure or the response is too large.
 *
 * @param send sends the requests
 */
export function createBoundedFetch(
  send: (url: string, options: RequestInit) => Promise<Response> = fetch,
): CustomFetch {
  return async (address, options) => {
    const url = new URL(address)
    if (url.protocol !== 'https:' && !isLoopback(url.hostname))
      throw new Error('The provider specified a URL without HTTPS')
    const response = await send(url.href, { ...options, redirect: 'manual' } as RequestInit) // the client passes fetch options
    const bytes = await readBounded(response)
    return new Response(bytes.length > 0 ? bytes : null, { status: response.status, headers: response.headers })
  }
}

async function readBounded(response: Response): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    if (length > responseBytesMax) throw new Error("The provider's response is too large")
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
