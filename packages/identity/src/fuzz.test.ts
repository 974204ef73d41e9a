/** Fuzzes submissions: no response is a 5xx, and no account is accessible without its credentials. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Browser, Reply } from '#testing/browser.ts'
import { newAddress, register, sharedTestIdentity, signIn, valueOf } from '#testing/test-identity.ts'

const submitsPerRun = 50
// Every execution draws new values, so frequent short executions cover more than a single long one.
const { FUZZ_RUNS: fuzzRuns, FUZZ_SEED: fuzzSeed } = process.env
const runs = Math.ceil(Number(fuzzRuns ?? 2000) / submitsPerRun)
/** Interval between lines of progress. */
const progressMs = 30_000
const batchSize = 10

const victim = newAddress()
const identity = await sharedTestIdentity({ methods: { code: 'first' }, hashing: { memory: 8, passes: 1 } })
await register(identity.browser(), victim)

const kinds = ['login', 'registration', 'recovery', 'verification', 'settings'] as const
const methods = [
  'password',
  'profile',
  'code',
  'totp',
  'lookup_secret',
  'webauthn',
  'passkey',
  'oidc',
  'link',
  'default',
  'captcha',
]
const names = [
  'identifier',
  'password',
  'password_identifier',
  'code',
  'email',
  'resend',
  'screen',
  'address',
  'traits',
  'traits.email',
  'traits.name',
  'traits.name.first',
  'traits.name.last',
  'totp_code',
  'totp_unlink',
  'lookup_secret',
  'lookup_secret_reveal',
  'lookup_secret_regenerate',
  'lookup_secret_confirm',
  'lookup_secret_disable',
  'passkey_login',
  'passkey_register',
  'passkey_settings_register',
  'passkey_remove',
  'webauthn_login',
  'webauthn_register',
  'webauthn_register_displayname',
  'webauthn_remove',
  'provider',
  'link',
  'unlink',
  'transient_payload',
  'flow',
  'csrf_token',
  '__proto__',
  'constructor.prototype.x',
  'a.b.c.d',
  '',
  '.',
  'traits.email.x',
]

/** Without six-digit values, which could match a code by chance. */
const texts = [
  '',
  ' ',
  'true',
  'previous',
  'credential-selection',
  'code',
  '12345',
  '1234567',
  '１２３４５６',
  'abcdefgh',
  'Correct-Horse-7-Batterx',
  'x'.repeat(3000),
  'a\u0000b',
  '\ud800',
  '🜁',
  "'; drop table identity.identity; --",
  '{"id":"AA","rawId":"AA","type":"public-key","response":{"clientDataJSON":"e30","attestationObject":"oA"}}',
  '{"id":"AA","rawId":"AA","type":"public-key","response":{"clientDataJSON":"e30","authenticatorData":"AA","signature":"AA"}}',
]
const value = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...texts, victim, victim.toUpperCase()) },
  { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 2, arbitrary: fc.emailAddress() },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
)
const submit = fc.record({
  kind: fc.constantFrom(...kinds),
  method: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...methods) },
    { weight: 1, arbitrary: value },
    { weight: 1, arbitrary: fc.constant(undefined) },
  ),
  fields: fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 6 }),
  encoding: fc.constantFrom('json', 'json', 'form', 'raw'),
  token: fc.constantFrom('own', 'own', 'own', 'none', 'wrong'),
  isSecondStep: fc.boolean(),
})
type Submit = typeof submit extends fc.Arbitrary<infer T> ? T : never

type Flows = ReadonlyMap<string, Reply['body']>
async function openFlows(attacker: Browser, member: Browser): Promise<Flows> {
  const flows = new Map<string, Reply['body']>()
  for (const kind of kinds) {
    const browser = kind === 'settings' ? member : attacker
    flows.set(kind, (await browser.get(`/self-service/${kind}/browser`)).body)
  }
  // Flows with a code sent to the victim are the most valuable to attack.
  for (const kind of ['login', 'recovery', 'verification'] as const) {
    const { body: flow } = await attacker.get(`/self-service/${kind}/browser`)
    const body = { csrf_token: valueOf(flow, 'csrf_token'), method: 'code', identifier: victim, email: victim }
    flows.set(`${kind} 2`, (await attacker.post(flow.ui.action, body)).body)
  }
  return flows
}

function submitRandom(
  browser: Browser,
  flow: Reply['body'],
  { method, fields, encoding, token }: Submit,
): Promise<Reply> {
  const csrf = { own: valueOf(flow, 'csrf_token'), none: undefined, wrong: 'AAAA' }[token]
  const body = { ...fields, ...(method !== undefined && { method }), ...(csrf !== undefined && { csrf_token: csrf }) }
  if (encoding === 'json') return browser.post(flow.ui.action, body)
  if (encoding === 'raw') return browser.post(flow.ui.action, `${JSON.stringify(body).slice(0, -1)}`)
  const texts = Object.entries(body).map(([name, inner]) => [
    name,
    typeof inner === 'string' ? inner : JSON.stringify(inner),
  ])
  return browser.submit(flow.ui.action, Object.fromEntries(texts))
}

it(
  'SEC-G4 handles thousands of random submissions without a 5xx response or account takeover',
  async () => {
    const member = identity.browser()
    await register(member, newAddress())
    let submissions = 0
    const forms = new Map<string, number>()
    let run = 0
    let reportedAt = performance.now()
    const property = fc.asyncProperty(
      fc.array(submit, { minLength: submitsPerRun, maxLength: submitsPerRun }),
      async (all) => {
        run += 1
        // Use a new IP each time, so that throttling doesn't hide the behavior under test.
        const attacker = identity.browser(undefined, `127.65.${run % 250}.${Math.floor(run / 250) + 1}`)
        if ((await member.get('/sessions/whoami')).status !== 200) await register(member, newAddress())
        const flows = await openFlows(attacker, member)
        for (let from = 0; from < all.length; from += batchSize) {
          await Promise.all(
            all.slice(from, from + batchSize).map(async (submission) => {
              const flow =
                flows.get(submission.isSecondStep ? `${submission.kind} 2` : submission.kind) ??
                flows.get(submission.kind)
              const { status, body } = await submitRandom(
                submission.kind === 'settings' ? member : attacker,
                flow,
                submission,
              )
              expect(status).toBeLessThan(500)
              submissions += 1
              if (body.ui) forms.set(submission.kind, (forms.get(submission.kind) ?? 0) + 1)
            }),
          )
          await expectNotVictim(attacker)
        }
        await expectNotVictim(member)
        if (fuzzRuns === undefined || performance.now() < reportedAt + progressMs) return
        reportedAt = performance.now()
        process.stdout.write(`${submissions} submissions\n`)
      },
    )
    const seed = fuzzSeed === undefined ? {} : { seed: Number(fuzzSeed) }
    await fc.assert(property, { numRuns: runs, endOnFailure: true, ...seed })
    expect(submissions).toBe(submitsPerRun * runs)
    // Many submissions must reach a method instead of failing an earlier check.
    for (const kind of kinds) expect([kind, (forms.get(kind) ?? 0) > submissions / 50]).toEqual([kind, true])
    // The account is unchanged, and its owner can still sign in.
    const { status, body } = await signIn(identity.browser(undefined, '127.65.255.1'), victim)
    expect([status, body.session?.identity.traits]).toEqual([
      200,
      { email: victim, name: { first: 'John', last: 'Frost' } },
    ])
  },
  fuzzRuns === undefined ? 300_000 : 0,
)

/** An attacker may register an account, but must never access the victim's. */
async function expectNotVictim(browser: Browser): Promise<void> {
  const { status, body } = await browser.get('/sessions/whoami')
  if (status !== 200) return
  expect(body.identity.verifiable_addresses[0].value).not.toBe(victim)
  expect(body.identity.recovery_addresses[0].value).not.toBe(victim)
}
