/** OpenID Connect and OAuth providers that publish private keys or the secrets of their clients. */
import { z } from 'zod'
import { jsonIn } from '#native/json.ts'
import { checkInfo, type NativeCheck, type NativeContext, type Proof } from '#native/native-check.ts'
import { unmasked } from '#native/web/secret-values.ts'
import { folderOf, requestWeb, webProof } from '#native/web/request.ts'

export const privateKeyPublished = checkInfo({
  id: 'oidc-private-key-exposed',
  name: 'OpenID provider publishes its private signing key',
  severity: 'critical',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:N',
  score: 9.1,
  summary: "The OpenID provider's JSON Web Key Set (JWKS) contains the private part of a key.",
  impact: 'An attacker can sign tokens for any user, and sign in to every application that trusts the provider.',
  remediation: 'Replace the key, publish only the public part of the new one, and revoke all sessions and tokens.',
  reference: 'https://www.rfc-editor.org/rfc/rfc7517#section-9.2',
  tags: 'exposure oauth oidc jwt',
  verifiedOn: 'authlib-provider',
})
const clientSecrets = checkInfo({
  id: 'oidc-client-secrets-exposed',
  name: 'OpenID provider lists client secrets without authentication',
  severity: 'critical',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:N',
  score: 9.1,
  summary:
    'The OpenID provider returns its registered clients with their secrets to unauthenticated requests. The check only read the list.',
  impact: 'An attacker can request tokens as any of these applications and access the data of their users.',
  remediation:
    'Require authentication for the list of clients, store secrets as hashes, and replace all client secrets.',
  reference: 'https://www.rfc-editor.org/rfc/rfc7592#section-2.1',
  tags: 'exposure oauth oidc unauth secrets',
  verifiedOn: 'authlib-provider',
})

const documents = ['.well-known/openid-configuration', '.well-known/oauth-authorization-server']
/** The parts of a provider's metadata that the checks need (RFC 8414, OpenID Connect Discovery 1.0). */
const Metadata = z.object({
  issuer: z.string(),
  jwks_uri: z.string().optional(),
  authorization_endpoint: z.string().optional(),
  token_endpoint: z.string().optional(),
  userinfo_endpoint: z.string().optional(),
  registration_endpoint: z.string().optional(),
})
const Keys = z.object({ keys: z.array(z.object({ kty: z.string(), d: z.string().optional() })) })
const clientSecret = new RegExp(String.raw`"client_secret"\s{0,9}:\s{0,9}"${unmasked}"`, 'i')

/** Paths on this server of the endpoints that a provider names. */
export interface Provider {
  readonly issuer: string
  readonly keys?: string | undefined
  readonly authorization?: string | undefined
  readonly token?: string | undefined
  readonly userinfo?: string | undefined
  readonly registration?: string | undefined
}

export const webOpenId: NativeCheck = {
  checks: [privateKeyPublished, clientSecrets],
  isPerFolder: true,
  appliesTo: ({ protocol }) => protocol === 'http',
  async run(context) {
    const provider = await readProvider(context)
    if (provider === undefined) return {}
    if (provider === null) return { [privateKeyPublished.id]: null, [clientSecrets.id]: null }
    return {
      [privateKeyPublished.id]: await publishedKey(context, provider),
      [clientSecrets.id]: await listedSecret(context, provider),
    }
  },
}

const known = new WeakMap<NativeContext, Promise<Provider | null | undefined>>()

/** @returns null if the server has no metadata of a provider; undefined if it didn't answer */
export function readProvider(context: NativeContext): Promise<Provider | null | undefined> {
  const reading = known.get(context) ?? read(context)
  known.set(context, reading)
  return reading
}

async function read(context: NativeContext): Promise<Provider | null | undefined> {
  for (const document of documents) {
    const page = await requestWeb(context, { target: `${folderOf(context.basePath)}${document}` })
    if (!page) return undefined
    const metadata = page.status === 200 ? Metadata.safeParse(jsonIn(page.body)).data : undefined
    if (!metadata) continue
    const pathOf = (endpoint: string | undefined) => ownPath(context, metadata.issuer, endpoint)
    return {
      issuer: metadata.issuer,
      keys: pathOf(metadata.jwks_uri),
      authorization: pathOf(metadata.authorization_endpoint),
      token: pathOf(metadata.token_endpoint),
      userinfo: pathOf(metadata.userinfo_endpoint),
      registration: pathOf(metadata.registration_endpoint),
    }
  }
  return null
}

/** The path of an endpoint that has the host of the issuer, which may be a name of this server, or of the scan. */
function ownPath({ hostname, address }: NativeContext, issuer: string, endpoint = ''): string | undefined {
  if (!URL.canParse(endpoint)) return undefined
  const { hostname: host, pathname } = new URL(endpoint)
  const hosts = [hostname, address, ...(URL.canParse(issuer) ? [new URL(issuer).hostname] : [])]
  return hosts.some((own) => own === host || `[${own}]` === host) ? pathname : undefined
}

async function publishedKey(context: NativeContext, { keys: target }: Provider): Promise<Proof | null> {
  const page = target === undefined ? undefined : await requestWeb(context, { target })
  const keys = (page?.status === 200 && Keys.safeParse(jsonIn(page.body)).data?.keys) || []
  const found = keys.find(({ kty, d }) => /^(?:RSA|EC|OKP)$/.test(kty) && d !== undefined && /^[\w-]{16,}$/.test(d))
  const [sign] = (found && page && /"d"\s{0,9}:\s{0,9}"[\w-]{16}/.exec(page.body)) ?? []
  return page && target !== undefined && sign !== undefined ? { ...webProof(page, [sign]), path: target } : null
}

async function listedSecret(context: NativeContext, { registration, token }: Provider): Promise<Proof | null> {
  const lists = [registration, token === undefined ? undefined : `${folderOf(token)}clients`]
  for (const target of new Set(lists.filter((path) => path !== undefined))) {
    const page = await requestWeb(context, { target, headers: { Accept: 'application/json' } })
    const isData = page?.status === 200 && jsonIn(page.body) !== undefined
    const [secret] = (isData && clientSecret.exec(page.body)) || []
    if (page && secret !== undefined) return { ...webProof(page, [secret]), path: target }
  }
  return null
}
