/** HTTP requests to servers that a workspace configures, such as its identity provider. */
import type { RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP } from 'node:net'
import { type EgressPolicy, resolveAllowed, hostOf } from '#egress-policy.ts'

const http = process.getBuiltinModule('node:http')
const responseBytesMax = 1024 * 1024
const timeoutMs = 10_000

/**
 * A function like `fetch` that connects to the address that the egress policy allows, follows no redirects, and limits time and
 * size of the response.
 */
export function createOutboundFetch(egress: EgressPolicy): (url: string, options: RequestInit) => Promise<Response> {
  return async (url, options) => {
    const destination = new URL(url)
    const address = await resolveAllowed(destination, egress)
    if ('blocked' in address) throw new Error(address.blocked)
    const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(options.signal ? [options.signal] : [])])
    // A request object encodes the body and sets its content type as `fetch` would.
    const request = new Request(url, { ...options, signal })
    return send(destination, address.ip, request)
  }
}

async function send(destination: URL, ip: string, request: Request): Promise<Response> {
  const body = Buffer.from(await request.arrayBuffer())
  const isTls = destination.protocol === 'https:'
  const host = hostOf(destination)
  const options: RequestOptions = {
    method: request.method,
    host: ip,
    port: destination.port || (isTls ? 443 : 80),
    path: destination.pathname + destination.search,
    headers: {
      ...Object.fromEntries(request.headers),
      host: destination.host,
      'content-length': body.length,
      'accept-encoding': 'identity',
    },
    signal: request.signal,
    agent: false,
  }
  return new Promise((resolve, reject) => {
    const call = isTls ? httpsRequest({ ...options, ...(!isIP(host) && { servername: host }) }) : http.request(options)
    call.once('error', reject)
    call.once('response', (response) => {
      const chunks: Buffer[] = []
      let length = 0
      response.on('data', (chunk: Buffer) => {
        length += chunk.length
        if (length > responseBytesMax) response.destroy(new Error('The response is too large'))
        else chunks.push(chunk)
      })
      response.once('error', reject)
      response.once('end', () => {
        const headers = new Headers()
        for (const [name, value] of Object.entries(response.headers))
          for (const item of [value ?? []].flat()) headers.append(name, item)
        const status = response.statusCode ?? 0
        const hasBody = length > 0 && ![204, 205, 304].includes(status)
        resolve(new Response(hasBody ? Buffer.concat(chunks) : null, { status, headers }))
      })
    })
    call.end(body)
  })
}
