/** Fetching and opening a flow. */
import { expiredOnFetch, flowBody, isExpired, loadFlow } from '#flow/flow.ts'
import type { FlowKind } from '#store.ts'
import { requireSameBrowser, submittedFlow } from '#flow/submit.ts'
import { type HttpResponse, json, redirect } from '#http/exchange.ts'
import { type Exchange, pageUrl } from '#service.ts'

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

/** Redirects a GET of the form's action to the form. */
export function openForm(kind: FlowKind): (exchange: Exchange) => Promise<HttpResponse> {
  return async (exchange) => {
    const flow = await submittedFlow(exchange, kind)
    return redirect(pageUrl(exchange.service, kind, flow.id))
  }
}
