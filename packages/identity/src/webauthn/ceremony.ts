/** WebAuthn Level 3 registration and authentication ceremonies. */
import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { Flow } from '#store.ts'
import { authenticatorName } from '#webauthn/authenticators.ts'
import { type Key, type KeyType, lockKeys, writeKeys } from '#webauthn/key.ts'
import type { Service } from '#service.ts'
import { claimOnce } from '#throttle.ts'

export const relyingPartyName = 'Glacis'

/** Loaded lazily on first use, because the library consists of about 250 files. */
const loadLibrary = () => import('@simplewebauthn/server')

/** Allowed COSE algorithms in order of preference. */
const algorithms = [-7, -35, -36, -257, -258, -259, -37, -38, -39, -8]
const timeouts: Readonly<Record<KeyType, number>> = { passkey: 300_000, webauthn: 120_000 }

interface RelyingParty {
  readonly id: string
  readonly origin: string
}

/** The portal is the relying party: keys are bound to its host and origin. */
function relyingParty({ portalUrl }: Service): RelyingParty {
  const { hostname, origin } = new URL(portalUrl)
  return { id: hostname, origin }
}

export function newChallenge(): string {
  return randomBytes(32).toString('base64url')
}

interface CreationParams {
  readonly type: KeyType
  readonly challenge: string
  readonly user: { readonly name: string; readonly id: string }
  /** IDs of existing keys. Their authenticators must not create another one. */
  readonly existingIds: readonly string[]
}

/** Options for `navigator.credentials.create`, with binary values in base64url. */
export function creationOptions(service: Service, { type, challenge, user, existingIds }: CreationParams) {
  return {
    rp: { name: relyingPartyName, id: relyingParty(service).id },
    user: { name: user.name, displayName: user.name, id: user.id },
    challenge,
    pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
    timeout: timeouts[type],
    ...(existingIds.length > 0 && { excludeCredentials: descriptors(existingIds) }),
    authenticatorSelection:
      type === 'passkey'
        ? {
            authenticatorAttachment: 'platform',
            requireResidentKey: true,
            residentKey: 'required',
            userVerification: 'preferred',
          }
        : { userVerification: 'discouraged' },
  }
}

/** Options for `navigator.credentials.get`. Without key IDs, any passkey of the host is allowed. */
export function requestOptions(service: Service, type: KeyType, challenge: string, keys: readonly string[]) {
  return {
    challenge,
    timeout: timeouts[type],
    rpId: relyingParty(service).id,
    ...(keys.length > 0 && { allowCredentials: descriptors(keys) }),
    userVerification: type === 'passkey' ? 'preferred' : 'discouraged',
  }
}

function descriptors(ids: readonly string[]) {
  return ids.map((id) => ({ type: 'public-key', id }))
}

const base64url = z.base64url().max(100_000)
const Assertion = z.object({
  id: base64url.min(1),
  rawId: base64url.min(1),
  type: z.literal('public-key'),
  response: z.object({
    authenticatorData: base64url.min(1),
    clientDataJSON: base64url.min(1),
    signature: base64url.min(1),
    userHandle: base64url.nullish(),
  }),
})
export type Assertion = z.infer<typeof Assertion>
const Attestation = z.object({
  id: base64url.min(1),
  rawId: base64url.min(1),
  type: z.literal('public-key'),
  response: z.object({ attestationObject: base64url.min(1), clientDataJSON: base64url.min(1) }),
})
export type Attestation = z.infer<typeof Attestation>

/** Parses an assertion from the browser script; null if malformed. */
export function readAssertion(text: string): Assertion | null {
  return readJson(Assertion, text)
}

/** Parses an attestation from the browser script; null if malformed. */
export function readAttestation(text: string): Attestation | null {
  return readJson(Attestation, text)
}

function readJson<T>(schema: z.ZodType<T>, text: string): T | null {
  try {
    return schema.safeParse(JSON.parse(text)).data ?? null
  } catch {
    return null
  }
}

/** Consumes a flow's challenge. Returns true only once, regardless of the outcome. */
function consumeChallenge(service: Service, flow: Flow, challenge: string): Promise<boolean> {
  return claimOnce(service, `challenge ${flow.id} ${challenge}`, flow.expires_at)
}

/**
 * Verifies an attestation: challenge, origin, relying party, and user presence.
 *
 * @returns the key, or null if invalid
 */
export async function verifyAttestation(
  service: Service,
  flow: Flow,
  challenge: string | undefined,
  attestation: Attestation,
  { name, userAgent = '' }: { readonly name?: string; readonly userAgent?: string },
): Promise<Key | null> {
  if (!challenge || !(await consumeChallenge(service, flow, challenge))) return null
  const { id, origin } = relyingParty(service)
  const { verifyRegistrationResponse } = await loadLibrary()
  const { registrationInfo } = await verifyRegistrationResponse({
    response: { ...attestation, clientExtensionResults: {} },
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: id,
    requireUserVerification: false,
    supportedAlgorithmIDs: algorithms,
  }).catch(notVerified)
  if (!registrationInfo) return null
  const { credential, aaguid } = registrationInfo
  return {
    id: credential.id,
    publicKey: Buffer.from(credential.publicKey).toString('base64url'),
    counter: credential.counter,
    name: name ?? authenticatorName(aaguid, userAgent),
    addedAt: service.now().toISOString(),
  }
}

/** The library throws for invalid responses. We treat each as failed verification. */
function notVerified(): { registrationInfo?: undefined; authenticationInfo?: undefined } {
  return {}
}

export type AssertionResult = 'valid' | 'invalid' | 'cloned'

/**
 * Verifies an assertion by one of an identity's keys: challenge, origin, relying party, user presence, and counter. A
 * counter that didn't increase indicates a cloned key, which is rejected (WebAuthn Level 3, section 6.1.1). The row lock
 * prevents concurrent use of the same counter.
 */
export async function verifyAssertion(
  service: Service,
  flow: Flow,
  challenge: string | undefined,
  owner: { identityId: string; type: KeyType },
  assertion: Assertion,
): Promise<AssertionResult> {
  if (!challenge || !(await consumeChallenge(service, flow, challenge))) return 'invalid'
  return service.db.transaction().execute(async (tx) => {
    const stored = await lockKeys(tx, owner.identityId, owner.type)
    const key = stored?.keys.find(({ id }) => id === assertion.id)
    if (!stored || !key) return 'invalid'
    const counter = await verifiedCounter(service, challenge, key, assertion)
    if (counter === null) return 'invalid'
    if (counter <= key.counter && (counter > 0 || key.counter > 0)) return 'cloned'
    const keys = stored.keys.map((candidate) => (candidate === key ? { ...key, counter } : candidate))
    await writeKeys(tx, owner.identityId, owner.type, { ...stored, keys }, service.now())
    return 'valid'
  })
}

async function verifiedCounter(
  service: Service,
  challenge: string,
  key: Key,
  assertion: Assertion,
): Promise<number | null> {
  const { id, origin } = relyingParty(service)
  const { authenticatorData, clientDataJSON, signature } = assertion.response
  const { verifyAuthenticationResponse } = await loadLibrary()
  const { authenticationInfo } = await verifyAuthenticationResponse({
    response: {
      ...assertion,
      response: { authenticatorData, clientDataJSON, signature },
      clientExtensionResults: {},
    },
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: id,
    requireUserVerification: false,
    // 0 disables the library's counter check. The caller compares the counter to report clones.
    credential: { id: key.id, publicKey: new Uint8Array(Buffer.from(key.publicKey, 'base64url')), counter: 0 },
  })
    .then((result) => (result.verified ? result : notVerified()))
    .catch(notVerified)
  return authenticationInfo?.newCounter ?? null
}
