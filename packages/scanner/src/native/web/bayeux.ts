/** Message servers of the Bayeux protocol (CometD, Faye) that the start page or its scripts refer to. */
import { checkInfo, type NativeCheck, type NativeContext } from '#native/native-check.ts'
import { pathHere, requestWeb, webProof, type WebResponse } from '#native/web/request.ts'
import { readSite, type WebSite } from '#native/web/site.ts'

const subscription = checkInfo({
  id: 'bayeux-subscription-open',
  name: 'Bayeux server exposed without authentication (CometD, Faye)',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 7.5,
  summary:
    'The message server lets unauthenticated clients subscribe to all channels (`/**`). The check subscribed and disconnected.',
  impact: 'An attacker can receive the messages of all users, and can usually also publish messages.',
  remediation:
    'Reject `/meta/subscribe` without valid credentials: in Faye, in an extension that sets `message.error`; in CometD, in `canSubscribe` of the `SecurityPolicy`.',
  reference: 'https://docs.cometd.org/current/reference/#_bayeux',
  tags: 'misconfig bayeux cometd faye unauth',
  verifiedOn: 'faye-page',
})
const pathsMax = 2
const namedPath = /["'`](\/?(?:[\w.-]{1,40}\/){0,4}(?:faye|cometd|bayeux))(?:\/client(?:-min)?\.js|\/)?["'`?]/gi

export const webBayeux: NativeCheck = {
  checks: [subscription],
  appliesTo: ({ protocol }) => protocol === 'http',
  async run(context) {
    const site = await readSite(context)
    if (!site) return {}
    for (const target of bayeuxPathsIn(site)) {
      const accepted = await subscribe(context, target)
      if (accepted) return { [subscription.id]: { ...webProof(accepted, ['successful']), path: target } }
    }
    return { [subscription.id]: null }
  },
}

/** Paths in the start page and its scripts that end with the name of the protocol or of an implementation. */
export function bayeuxPathsIn({ front, scripts }: Pick<WebSite, 'front' | 'scripts'>): readonly string[] {
  const paths = [front.body, ...scripts].flatMap((text) =>
    [...text.matchAll(namedPath).take(20)].flatMap(([, path = '']) => pathHere(path, front.path) ?? []),
  )
  return [...new Set(paths)].slice(0, pathsMax)
}

/** @returns the response if the server accepted a subscription to all channels */
async function subscribe(context: NativeContext, target: string): Promise<WebResponse | undefined> {
  const handshake = await send(context, target, {
    channel: '/meta/handshake',
    version: '1.0',
    supportedConnectionTypes: ['long-polling'],
  })
  const [, clientId] = /"clientId"\s?:\s?"([\w-]{1,100})"/.exec(handshake?.body ?? '') ?? []
  if (!handshake || clientId === undefined || !isSuccessful(handshake, '/meta/handshake')) return undefined
  const cookie = cookieOf(handshake)
  const message = { channel: '/meta/subscribe', clientId, subscription: '/**' }
  const response = await send(context, target, message, cookie)
  await send(context, target, { channel: '/meta/disconnect', clientId }, cookie)
  return response && isSuccessful(response, '/meta/subscribe') ? response : undefined
}

function isSuccessful({ status, body }: WebResponse, channel: string): boolean {
  return status === 200 && body.includes(`"${channel}"`) && /"successful"\s?:\s?true/.test(body)
}

function send(context: NativeContext, target: string, message: object, cookie = ''): Promise<WebResponse | undefined> {
  const headers = { 'Content-Type': 'application/json', ...(cookie !== '' && { Cookie: cookie }) }
  return requestWeb(context, { method: 'POST', target, headers, body: JSON.stringify([message]) })
}

/** CometD only accepts the session together with its cookie. */
function cookieOf({ headers }: WebResponse): string {
  return headers
    .filter(([name]) => name.toLowerCase() === 'set-cookie')
    .map(([, value]) => value.split(';', 1)[0] ?? '')
    .join('; ')
}
