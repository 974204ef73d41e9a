/** Completes a registration: creates the identity with its first credential, a session, and a verification flow. */
import { newToken } from '#http/csrf.ts'
import { type HttpResponse, json, redirect, renewCsrfToken, setSessionCookie, emitEvent } from '#http/exchange.ts'
import type { Exchange } from '#service.ts'
import type { Flow, Database, Traits } from '#store.ts'
import { startAddressVerification } from '#flow/verification.ts'
import { identityBody, insertIdentity, markVerified } from '#identities.ts'
import { resolveReturnTo } from '#return-to.ts'
import { normalizeAddress } from '#schema.ts'
import { type Factor, issueSession, sessionBody } from '#session.ts'

interface InitialCredential {
  readonly method: Factor
  readonly attach: (tx: Database, identityId: string) => Promise<void>
  /** Called before the new identity is signed in. */
  readonly onCreated?: (identityId: string) => Promise<void>
  /** The address is already verified, so no code is sent. */
  readonly isAddressVerified: boolean
}

/** Creates the identity, signs it in, and responds. Returns null if the address is taken. */
export async function completeRegistration(
  exchange: Exchange,
  flow: Flow,
  traits: Traits,
  credential: InitialCredential,
): Promise<HttpResponse | null> {
  const account = await createAccount(exchange, flow, traits, credential)
  if (!account) return null
  await credential.onCreated?.(account.identityId)
  return respondSignedUp(exchange, flow, account, credential.method)
}

interface Account {
  readonly identityId: string
  /** The `continue_with` item that leads to the verification form; null if the address is already verified. */
  readonly verification: Awaited<ReturnType<typeof startAddressVerification>> | null
}

/** Creates the identity, its credential, the verification flow, and the email in one transaction. */
async function createAccount(
  exchange: Exchange,
  flow: Flow,
  traits: Traits,
  credential: InitialCredential,
): Promise<Account | null> {
  const { service } = exchange
  const csrfToken = newToken()
  const created = await service.db
    .transaction()
    .execute(async (tx) => {
      const identityId = await insertIdentity(tx, traits, service.now())
      if (!identityId) throw new AddressTakenError()
      await credential.attach(tx, identityId)
      if (credential.isAddressVerified) {
        await markVerified(tx, identityId, normalizeAddress(traits.email), service.now())
        return { identityId, verification: null }
      }
      const verification = await startAddressVerification(exchange, tx, {
        identityId,
        address: normalizeAddress(traits.email),
        requestUrl: verificationRequestUrl(flow),
        returnTo: flow.memory.afterVerificationReturnTo ?? null,
        csrfToken,
      })
      return { identityId, verification }
    })
    .catch((cause: unknown) => {
      if (cause instanceof AddressTakenError) return null
      throw cause
    })
  if (!created) return null
  renewCsrfToken(exchange, csrfToken)
  return created
}

/** Rolls back the transaction when another identity has the address. */
class AddressTakenError extends Error {}

/** The verification flow gets the registration's request URL, with `after_verification_return_to` as its `return_to`. */
function verificationRequestUrl(flow: Flow): string {
  const url = new URL(flow.request_url)
  const { afterVerificationReturnTo } = flow.memory
  url.searchParams.delete('after_verification_return_to')
  url.searchParams.delete('return_to')
  if (afterVerificationReturnTo) url.searchParams.set('return_to', afterVerificationReturnTo)
  return url.href
}

async function respondSignedUp(
  exchange: Exchange,
  flow: Flow,
  account: Account,
  method: Factor,
): Promise<HttpResponse> {
  const { service } = exchange
  const issued = await issueSession(service, account.identityId, method, exchange.client)
  setSessionCookie(exchange, issued)
  emitEvent(exchange, 'registered', account.identityId, method.method)
  emitEvent(exchange, 'signed_in', account.identityId, method.method)
  const location = resolveReturnTo(flow.return_to, service.defaultReturnUrl, service)
  if (!exchange.wantsJson) return redirect(account.verification?.flow.url ?? location)
  return json(200, {
    session: sessionBody(issued.session, service.publicUrl),
    identity: identityBody(issued.session.identity, service.publicUrl),
    continue_with: [
      { action: 'redirect_browser_to', redirect_browser_to: location },
      ...(account.verification ? [account.verification] : []),
    ],
  })
}
