/** The two ceremonies of WebAuthn level 3: what is asked of an authenticator, and what its answer is worth. */
import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { Flow } from '#store.ts'
import { authenticatorName } from '#webauthn/authenticators.ts'
import { type Key, type KeyType, lockKeys, writeKeys } from '#webauthn/key.ts'
import type { Service } from '#service.ts'
import { once } from '#throttle.ts'

export const relyingPartyName = 'Glacis'

/** Loaded with the first answer of an authenticator: its certificates and their formats are 250 files. */
const library = () => import('@simplewebauthn/server')

/** Algorithms that keys may have, the preferred one first (COSE registry). */
const algorithms = [-7, -35, -36, -257, -258, -259, -37, -38, -39, -8]
const timeouts: Readonly<Record<KeyType, number>> = { passkey: 300_000, webauthn: 120_000 }

interface RelyingParty {
  readonly id: string
  readonly origin: string
}

/** Keys belong to the portal's host, and only its pages may use them. */
function relyingParty({ portalUrl }: Service): RelyingParty {
  const { hostname, origin } = new URL(portalUrl)
  return { id: hostname, origin }
}

/** 32 random bytes in base64url. */
export function newChallenge(): string {
  return randomBytes(32).toString('base64url')
}

interface Creation {
  readonly type: KeyType
  readonly challenge: string
  readonly user: { readonly name: string; readonly id: string }
  /** Ids of keys whose authenticator shall not make another. */
  readonly present: readonly string[]
}

/** What `navigator.credentials.create` is asked for, with binary values in base64url. */
export function creationOptions(service: Service, { type, challenge, user, present }: Creation) {
  return {
    rp: { name: relyingPartyName, id: relyingParty(service).id },
    user: { name: user.name, displayName: user.name, id: user.id },
    challenge,
    pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
    timeout: timeouts[type],
    ...(present.length > 0 && { excludeCredentials: descriptors(present) }),
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

/** What `navigator.credentials.get` is asked for; without keys, any passkey of the host will do. */
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

/** An authenticator's answer to a sign-in as the script wrote it; null for anything else. */
export function readAssertion(text: string): Assertion | null {
  return readJson(Assertion, text)
}

/** An authenticator's new key as the script wrote it; null for anything else. */
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

/** Takes a flow's challenge: true once, whatever comes of the answer to it. */
function spendChallenge(service: Service, flow: Flow, challenge: string): Promise<boolean> {
  return once(service, `challenge ${flow.id} ${challenge}`, flow.expires_at)
}

/** Checks an authenticator's new key: challenge, origin, relying party, presence. @returns null for any fault */
export async function acceptKey(
  service: Service,
  flow: Flow,
  challenge: string | undefined,
  attestation: Attestation,
  { name, userAgent = '' }: { readonly name?: string; readonly userAgent?: string },
): Promise<Key | null> {
  if (!challenge || !(await spendChallenge(service, flow, challenge))) return null
  const { id, origin } = relyingParty(service)
  const { verifyRegistrationResponse } = await library()
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

/** The library tells every fault of an answer by throwing; for us each is an answer that proves nothing. */
function notVerified(): { registrationInfo?: undefined; authenticationInfo?: undefined } {
  return {}
}

export type Proof = 'right' | 'wrong' | 'cloned'

/**
 * Checks an authenticator's signature by one of an account's keys: challenge, origin, relying party,
 * presence, counter. A counter that went back means that somebody has a copy of the key (WebAuthn
 * level 3, section 6.1.1); it then opens nothing. The row's lock decides a race.
 */
export async function checkAssertion(
  service: Service,
  flow: Flow,
  challenge: string | undefined,
  owner: { identityId: string; type: KeyType },
  assertion: Assertion,
): Promise<Proof> {
  if (!challenge || !(await spendChallenge(service, flow, challenge))) return 'wrong'
  return service.db.transaction().execute(async (tx) => {
    const present = await lockKeys(tx, owner.identityId, owner.type)
    const key = present?.keys.find(({ id }) => id === assertion.id)
    if (!present || !key) return 'wrong'
    const counter = await counterOf(service, challenge, key, assertion)
    if (counter === null) return 'wrong'
    if (counter <= key.counter && (counter > 0 || key.counter > 0)) return 'cloned'
    const keys = present.keys.map((one) => (one === key ? { ...key, counter } : one))
    await writeKeys(tx, owner.identityId, owner.type, { ...present, keys }, service.now())
    return 'right'
  })
}

async function counterOf(service: Service, challenge: string, key: Key, assertion: Assertion): Promise<number | null> {
  const { id, origin } = relyingParty(service)
  const { authenticatorData, clientDataJSON, signature } = assertion.response
  const { verifyAuthenticationResponse } = await library()
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
    // The counter is compared by the caller, who also reports it.
    credential: { id: key.id, publicKey: new Uint8Array(Buffer.from(key.publicKey, 'base64url')), counter: 0 },
  })
    .then((answer) => (answer.verified ? answer : notVerified()))
    .catch(notVerified)
  return authenticationInfo?.newCounter ?? null
}
