/** Showing a flow again to the browser that started it. */
import { expiredOnFetch, flowBody, isExpired, loadFlow } from '#flow/flow.ts'
import type { FlowKind } from '#store.ts'
import { requireSameBrowser } from '#flow/submit.ts'
import { type Answer, json } from '#http/exchange.ts'
import type { Exchange } from '#service.ts'

/** Answers with a flow as it stands; settings, which belong to a person and not to a browser, have a way of their own. */
export function fetchFlow(kind: Exclude<FlowKind, 'settings'>): (exchange: Exchange) => Promise<Answer> {
  return async (exchange) => {
    const { service } = exchange
    const flow = await loadFlow(service, kind, exchange.query.get('id'))
    requireSameBrowser(exchange, flow)
    if (isExpired(service, flow)) throw expiredOnFetch(service, flow)
    return json(200, flowBody(service, flow))
  }
}
