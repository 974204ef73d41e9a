/** Answers of flows that mail a code in place of a password, and how to come by our own. */
import { codeIn, complete, newAddress, register } from '#testing/test-identity.ts'
import { type Case, begin, fresh, self, send, testIdentity, traits } from '#testing/scenarios.ts'

async function signUpAsked() {
  const browser = fresh()
  const email = newAddress()
  const all = { method: 'code', traits: traits(email) }
  const chosen = await complete(browser, `${self}/registration/browser`, { ...all, method: 'profile' })
  const sent = await send(browser, chosen.body, all)
  const code = codeIn((await testIdentity().mailsTo(email))[0])
  return { sent, code, go: (body: object) => send(browser, chosen.body, { ...all, ...body }) }
}

async function signInAsked() {
  const email = newAddress()
  await register(fresh(), email)
  const browser = fresh()
  const flow = await begin(browser, 'login')
  const go = (body: object) => send(browser, flow, { method: 'code', ...body })
  return { sent: await go({ identifier: email }), go }
}

export const codeCases: readonly Case[] = [
  ['registration/code-sent', 0, async () => (await signUpAsked()).sent],
  [
    'registration/code-wrong',
    0,
    async () => {
      const { go, code } = await signUpAsked()
      return go({ code: code === '000000' ? '111111' : '000000' })
    },
  ],
  [
    'registration/code-ok',
    0,
    async () => {
      const { go, code } = await signUpAsked()
      return go({ code })
    },
  ],
  ['login/code-sent', 0, async () => (await signInAsked()).sent],
  ['login/code-wrong', 0, async () => (await signInAsked()).go({ code: 'wrong' })],
  ['login/code-empty', 0, async () => (await signInAsked()).go({ code: '' })],
  ['login/code-resend', 0, async () => (await signInAsked()).go({ resend: 'code' })],
]

async function mailedFactor() {
  const browser = fresh()
  const email = newAddress()
  const first = await register(browser, email)
  const begun = await browser.get(`${self}/login/browser?aal=aal2`)
  const code = codeIn((await testIdentity().mailsTo(email, 2)).at(-1))
  return { browser, email, first, begun, go: () => send(browser, begun.body, { method: 'code', code }) }
}

/** Where everybody is mailed a code after the password. */
export const mailedFactorCases: readonly Case[] = [
  ['login/code-mfa', 1, async () => (await mailedFactor()).begun],
  ['login/code-mfa', 2, async () => (await mailedFactor()).go()],
]
