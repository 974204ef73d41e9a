/** Authorization endpoints of OAuth 2.0 and OpenID Connect that send responses to addresses that no client registered. */
import { randomBytes } from 'node:crypto'
import { linksOf } from '#native/web/html-forms.ts'
import { checkInfo, type NativeCheck, type NativeContext, type Proof } from '#native/native-check.ts'
import { readPages } from '#native/web/site-pages.ts'
import { readProvider } from '#native/web/openid.ts'
import { requestWeb, targetHere, webProof } from '#native/web/request.ts'
import { readSite } from '#native/web/site.ts'

export const redirectUnchecked = checkInfo({
  id: 'oauth-redirect-unchecked',
  name: 'OAuth provider sends authorization responses to any website',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:U/C:H/I:H/A:N',
  score: 8.1,
  summary:
    'The authorization endpoint redirected a client to a `redirect_uri` that belongs to another website, or that only resembles the registered one. The check used `prompt=none`, so that the provider shows no login, and a domain that does not exist.',
  impact:
    "An attacker can send users a link to the provider that delivers the authorization code to the attacker's website, and sign in as them.",
  remediation:
    'Compare `redirect_uri` with the registered addresses of the client as a whole string, and show an error page instead of redirecting if it differs.',
  reference: 'https://www.rfc-editor.org/rfc/rfc9700#section-2.1',
  tags: 'misconfig oauth oidc redirect',
  verifiedOn: 'authlib-provider',
})

export const webOauthRedirect: NativeCheck = {
  checks: [redirectUnchecked],
  isPerFolder: true,
  appliesTo: ({ protocol }) => protocol === 'http',
  async run(context) {
    const requests = await authorizationRequests(context)
    if (!requests) return {}
    for (const request of requests) {
      const proof = await acceptedAddress(context, request)
      if (proof) return { [redirectUnchecked.id]: proof }
    }
    return { [redirectUnchecked.id]: null }
  },
}

interface AuthorizationRequest {
  readonly path: string
  readonly client: string
  /** The address of the client that the site itself names. */
  readonly registered?: string
}

const requestsMax = 3
const endpoint = /\/(?:authorize|authorization|auth|oauth2?)\/?\?/i
const quotedTarget = /["'`(]((?:https?:\/\/[\w.:[\]-]{1,100})?\/[\w./-]{0,100}\?[\w.=&;%:/+~-]{5,600})/g
const namedClient = /\bclient_?id["']?\]?\s{0,3}[:=]\s{0,3}["'`]([\w.:-]{1,80})["'`]/gi
const namedAddress = /\bredirect_?ur[il]["']?\]?\s{0,3}[:=]\s{0,3}["'`](https?:\/\/[^\s"'`<>]{4,200})["'`]/i

/** Requests that links of the site contain, and those to the provider's endpoint with clients that its scripts name. */
async function authorizationRequests(context: NativeContext): Promise<readonly AuthorizationRequest[] | undefined> {
  const site = await readSite(context)
  const provider = await readProvider(context)
  if (!site || provider === undefined) return undefined
  const { pages, scripts } = await readPages(context, site)
  const texts = [...pages.map(({ body }) => body), ...scripts]
  const targets = [
    ...pages.flatMap(({ body, path }) => linksOf(body).flatMap((link) => targetHere(link, path) ?? [])),
    ...texts.flatMap((text) => [...text.matchAll(quotedTarget).take(50)].flatMap(([, link = '']) => ownTarget(link))),
  ]
  const linked = targets.flatMap((target): AuthorizationRequest[] => {
    const query = endpoint.test(target) ? new URLSearchParams(target.split('?')[1]) : undefined
    const client = query?.get('client_id') ?? ''
    return client === '' ? [] : [{ path: target.split('?', 1)[0] ?? '', client, ...named(query?.get('redirect_uri')) }]
  })
  const address = texts.flatMap((text) => namedAddress.exec(text)?.[1] ?? [])[0]
  const clients = texts.flatMap((text) => [...text.matchAll(namedClient).take(5)].map(([, client = '']) => client))
  const path = provider?.authorization
  const scripted = path === undefined ? [] : clients.map((client) => ({ path, client, ...named(address) }))
  const all = [...linked, ...scripted]
  return [...new Map(all.map((item) => [`${item.path} ${item.client}`, item])).values()].slice(0, requestsMax)
}

/** Clients name the provider by its public URL, which may be a name of this server. */
function ownTarget(link: string): string[] {
  const target = link.replaceAll('&amp;', '&').replace(/^https?:\/\/[^/]{1,100}/, '')
  return endpoint.test(target) ? [target] : []
}

function named(registered: string | null | undefined): Pick<AuthorizationRequest, 'registered'> {
  return registered && URL.canParse(registered) ? { registered } : {}
}

/** The first foreign address to which the provider redirects with the result of the request. */
async function acceptedAddress(context: NativeContext, request: AuthorizationRequest): Promise<Proof | null> {
  const { path, client } = request
  for (const redirect of foreignAddresses(request)) {
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: client,
      redirect_uri: redirect,
      scope: 'openid',
      state: randomBytes(6).toString('hex'),
      nonce: randomBytes(6).toString('hex'),
      prompt: 'none',
      code_challenge: randomBytes(32).toString('base64url'),
      code_challenge_method: 'S256',
    })
    const response = await requestWeb(context, { target: `${path}?${query}`, headers: { Accept: 'text/html' } })
    if (!response) return null
    const location = response.headers.find(([name]) => name.toLowerCase() === 'location')?.[1] ?? ''
    if (response.status >= 300 && response.status < 400 && isResult(location, redirect))
      return { ...webProof(response, [location]), path }
  }
  return null
}

/** A foreign website, and those that pass a comparison of the start, the end, or a part of the registered address. */
function foreignAddresses({ registered }: AuthorizationRequest): readonly string[] {
  const foreign = `glacis-${randomBytes(5).toString('hex')}.example`
  if (registered === undefined) return [`https://${foreign}/callback`]
  const { origin, host, hostname, pathname } = new URL(registered)
  return [
    `https://${foreign}${pathname}`,
    `${origin}.${foreign}${pathname}`,
    `${registered}@${foreign}/`.replace(/^(https?:\/\/[^/]{1,200})\/[^@]{0,300}@/, '$1@'),
    `https://${foreign.replace('.example', '')}${hostname}${pathname}`,
    `https://${foreign}/${host}${pathname}`,
  ]
}

/**
 * What a provider reports for a user without a session, or a code. An error about the request itself is an open redirect
 * at most.
 */
function isResult(location: string, redirect: string): boolean {
  if (!URL.canParse(location)) return false
  const { hostname, searchParams } = new URL(location)
  const isAway = hostname === new URL(redirect).hostname
  const isLogin = /^(?:login|interaction|consent|account_selection)_required$|^access_denied$/
  return isAway && (searchParams.has('code') || isLogin.test(searchParams.get('error') ?? ''))
}
