/** The browser script for WebAuthn, and the node that loads it. */
import { createHash, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type HttpResponse, ensureCsrfToken } from '#http/exchange.ts'
import type { Exchange, Service } from '#service.ts'
import type { Node } from '#ui/node.ts'

export const scriptPath = '/.well-known/ory/webauthn.js'

const source = readFileSync(join(import.meta.dirname, 'browser.js'), 'utf8')
const integrity = `sha512-${createHash('sha512').update(source).digest('base64')}`

/** Creates the node that loads the script, with subresource integrity. */
export function scriptNode({ publicUrl }: Service): Node {
  return {
    type: 'script',
    group: 'webauthn',
    attributes: {
      src: `${publicUrl}${scriptPath}`,
      async: true,
      referrerpolicy: 'no-referrer',
      crossorigin: 'anonymous',
      integrity,
      type: 'text/javascript',
      id: 'webauthn_script',
      nonce: randomUUID(),
      node_type: 'script',
    },
    messages: [],
    meta: {},
  }
}

/** Serves the script. Subresource integrity requires CORS if the portal has another origin. */
export async function serveScript(exchange: Exchange): Promise<HttpResponse> {
  ensureCsrfToken(exchange)
  const { publicUrl, portalUrl } = exchange.service
  const portal = new URL(portalUrl).origin
  const headers = portal === new URL(publicUrl).origin ? {} : { 'Access-Control-Allow-Origin': portal }
  return { kind: 'text', contentType: 'text/javascript; charset=UTF-8', body: source, headers }
}
