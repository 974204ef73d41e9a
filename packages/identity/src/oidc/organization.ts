/** Providers of organizations, which are added and changed while the service runs. */
import { isDeepStrictEqual } from 'node:util'
import { type Provider, type ProviderUser, createProvider } from '#oidc/provider.ts'
import type { OrganizationOptions, OrganizationProvider } from '#options.ts'

/** Maximum number of providers whose metadata is cached. */
const cachedMax = 1000

/** Finds providers by ID. A provider is reused, with its cached metadata, while its options are the same. */
export function createProviderFinder(
  organizations: Pick<OrganizationOptions, 'find'> | undefined,
  now: () => Date,
): (id: string) => Promise<Provider | null> {
  const known = new Map<string, { readonly options: OrganizationProvider; readonly provider: Provider }>()
  return async (id) => {
    const options = (await organizations?.find(id)) ?? null
    if (!options) return null
    const cached = known.get(id)
    if (cached && isDeepStrictEqual(cached.options, options)) return cached.provider
    if (known.size >= cachedMax) known.clear()
    const provider = createProvider(options, now)
    known.set(id, { options, provider })
    return provider
  }
}

/**
 * Whether an organization vouches for an address. Its provider can only sign in users of its own domains. Control of a
 * domain includes its mail, with which these accounts can be recovered anyway.
 */
export function vouchesFor({ domains }: Provider, address: string | null): boolean {
  return domains?.includes((address ?? '').split('@').at(-1)?.toLowerCase() ?? '') ?? false
}

/**
 * The subject of a link. Subjects are only unique per issuer (OpenID Connect Core, section 2), and the issuer of an
 * organization's provider can change.
 */
export function linkedSubject({ domains, issuer }: Provider, { subject }: ProviderUser): string {
  return domains ? `${issuer} ${subject}` : subject
}

/** Loads the metadata of a provider. @throws Error if it can't be reached or its metadata is invalid */
export async function checkProvider(
  options: Pick<OrganizationProvider, 'issuer' | 'clientId' | 'fetch'>,
): Promise<void> {
  const provider = createProvider({ ...options, id: 'check', domains: [], groupsClaim: '' }, () => new Date())
  await provider.startAuthorization('https://check.invalid/')
}
