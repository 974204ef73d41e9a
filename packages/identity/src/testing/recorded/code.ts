/** Recorded cases: emailed codes as a first or second factor. */
import { codeIn, submitNewFlow, newAddress, register } from '#testing/test-identity.ts'
import { type Case, startFlow, newBrowser, selfService, submitJson, testIdentity, traits } from '#testing/scenarios.ts'

async function requestSignUpCode() {
  const browser = newBrowser()
  const email = newAddress()
  const all = { method: 'code', traits: traits(email) }
  const chosen = await submitNewFlow(browser, `${selfService}/registration/browser`, { ...all, method: 'profile' })
  const sent = await submitJson(browser, chosen.body, all)
  const code = codeIn((await testIdentity().mailsTo(email))[0])
  return { sent, code, submit: (body: object) => submitJson(browser, chosen.body, { ...all, ...body }) }
}

async function requestSignInCode() {
  const email = newAddress()
  await register(newBrowser(), email)
  const browser = newBrowser()
  const flow = await startFlow(browser, 'login')
  const submit = (body: object) => submitJson(browser, flow, { method: 'code', ...body })
  return { sent: await submit({ identifier: email }), submit }
}

export const codeCases: readonly Case[] = [
  ['registration/code-sent', 0, async () => (await requestSignUpCode()).sent],
  [
    'registration/code-wrong',
    0,
    async () => {
      const { submit, code } = await requestSignUpCode()
      return submit({ code: code === '000000' ? '111111' : '000000' })
    },
  ],
  [
    'registration/code-ok',
    0,
    async () => {
      const { submit, code } = await requestSignUpCode()
      return submit({ code })
    },
  ],
  ['login/code-sent', 0, async () => (await requestSignInCode()).sent],
  ['login/code-wrong', 0, async () => (await requestSignInCode()).submit({ code: 'wrong' })],
  ['login/code-empty', 0, async () => (await requestSignInCode()).submit({ code: '' })],
  ['login/code-resend', 0, async () => (await requestSignInCode()).submit({ resend: 'code' })],
]

async function startMailedFactor() {
  const browser = newBrowser()
  const email = newAddress()
  const first = await register(browser, email)
  const started = await browser.get(`${selfService}/login/browser?aal=aal2`)
  const code = codeIn((await testIdentity().mailsTo(email, 2)).at(-1))
  return {
    browser,
    email,
    first,
    started,
    submit: () => submitJson(browser, started.body, { method: 'code', code }),
  }
}

/** Cases with an emailed code as the second factor. */
export const mailedFactorCases: readonly Case[] = [
  ['login/code-mfa', 1, async () => (await startMailedFactor()).started],
  ['login/code-mfa', 2, async () => (await startMailedFactor()).submit()],
]
