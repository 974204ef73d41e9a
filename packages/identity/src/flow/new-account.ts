/** The end of a registration: an account with its first credential, a session, and a code to prove the address. */
import { newToken } from '#http/csrf.ts'
import { type Answer, json, redirect, renewCsrf, setSession, tell } from '#http/exchange.ts'
import type { Exchange } from '#service.ts'
import type { Flow, Database, Traits } from '#store.ts'
import { startProofOfAddress } from '#flow/verification.ts'
import { identityBody, insertIdentity, markVerified } from '#identities.ts'
import { resolveReturnTo } from '#return-to.ts'
import { normalAddress } from '#schema.ts'
import { type Factor, issueSession, sessionBody } from '#session.ts'

interface Newcomer {
  readonly method: Factor
  readonly attach: (tx: Database, identityId: string) => Promise<void>
  /** The address has been proved elsewhere: no code is mailed. */
  readonly isProven: boolean
}

/** Makes the account, signs it in and answers; null when the address is taken. */
export async function completeRegistration(
  exchange: Exchange,
  flow: Flow,
  traits: Traits,
  newcomer: Newcomer,
): Promise<Answer | null> {
  const account = await makeAccount(exchange, flow, traits, newcomer)
  return account && succeed(exchange, flow, account, newcomer.method)
}

interface Account {
  readonly identityId: string
  /** What leads the client to the form of the code that was mailed. */
  readonly proof: Awaited<ReturnType<typeof startProofOfAddress>> | null
}

/** Account, credential, verification flow and mail stand together or not at all. */
async function makeAccount(
  exchange: Exchange,
  flow: Flow,
  traits: Traits,
  newcomer: Newcomer,
): Promise<Account | null> {
  const { service } = exchange
  const csrfToken = newToken()
  const made = await service.db
    .transaction()
    .execute(async (tx) => {
      const identityId = await insertIdentity(tx, traits, service.now())
      if (!identityId) throw new Taken()
      await newcomer.attach(tx, identityId)
      if (newcomer.isProven) {
        await markVerified(tx, identityId, normalAddress(traits.email), service.now())
        return { identityId, proof: null }
      }
      const proof = await startProofOfAddress(exchange, tx, {
        identityId,
        address: normalAddress(traits.email),
        requestUrl: verificationRequestUrl(flow),
        returnTo: flow.memory.afterVerificationReturnTo ?? null,
        csrfToken,
      })
      return { identityId, proof }
    })
    .catch((cause: unknown) => {
      if (cause instanceof Taken) return null
      throw cause
    })
  if (!made) return null
  renewCsrf(exchange, csrfToken)
  return made
}

/** Undoes the transaction in which an address turned out to be another account's. */
class Taken extends Error {}

/** The verification that follows remembers the registration, with the return address that is its own. */
function verificationRequestUrl(flow: Flow): string {
  const url = new URL(flow.request_url)
  const { afterVerificationReturnTo } = flow.memory
  url.searchParams.delete('after_verification_return_to')
  url.searchParams.delete('return_to')
  if (afterVerificationReturnTo) url.searchParams.set('return_to', afterVerificationReturnTo)
  return url.href
}

async function succeed(exchange: Exchange, flow: Flow, account: Account, method: Factor): Promise<Answer> {
  const { service } = exchange
  const issued = await issueSession(service, account.identityId, method, exchange.client)
  setSession(exchange, issued)
  tell(exchange, 'registered', account.identityId, method.method)
  tell(exchange, 'signed_in', account.identityId, method.method)
  const location = resolveReturnTo(flow.return_to, service.defaultReturnUrl, service)
  if (!exchange.wantsJson) return redirect(account.proof?.flow.url ?? location)
  return json(200, {
    session: sessionBody(issued.session, service.publicUrl),
    identity: identityBody(issued.session.identity, service.publicUrl),
    continue_with: [
      { action: 'redirect_browser_to', redirect_browser_to: location },
      ...(account.proof ? [account.proof] : []),
    ],
  })
}
