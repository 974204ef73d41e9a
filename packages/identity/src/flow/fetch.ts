/** Fetching a flow. */
import { expiredOnFetch, flowBody, isExpired, loadFlow } from '#flow/flow.ts'
import type { FlowKind } from '#store.ts'
import { requireSameBrowser } from '#flow/submit.ts'
import { type HttpResponse, json } from '#http/exchange.ts'
import type { Exchange } from '#service.ts'

/** Returns a flow to the browser that started it. Settings flows belong to an identity instead; see `fetchSettings`. */
export function fetchFlow(kind: Exclude<FlowKind, 'settings'>): (exchange: Exchange) => Promise<HttpResponse> {
  return async (exchange) => {
    const { service } = exchange
    const flow = await loadFlow(service, kind, exchange.query.get('id'))
    requireSameBrowser(exchange, flow)
    if (isExpired(service, flow)) throw expiredOnFetch(service, flow)
    return json(200, flowBody(service, flow))
  }
}
