/** Sessions, account deletion, and administration from the command line. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { root } from '../lab/product.ts'
import { expectNoBrowserErrors, newContext, newPage, nora, page, product, signIn, startAccounts } from './accounts.ts'

startAccounts('profile', { isMember: true })

describe('with several browsers', () => {
  it('lists the session of another browser and revokes it', async () => {
    const elsewhere = await newContext(
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:141.0) Gecko/20100101 Firefox/141.0',
    )
    const visitor = await newPage(elsewhere)
    await signIn(visitor)
    // An open page redirects to the sign-in page once its session is revoked, which would interrupt the navigation below.
    await visitor.goto('about:blank')
    await page.goto('/profile')
    const list = page.getByRole('list', { name: 'Active sessions' })
    await list.getByText('This device').waitFor()
    await list.getByRole('button', { name: 'Revoke Windows, Firefox' }).click()
    await list.getByText('Windows, Firefox').waitFor({ state: 'hidden' })
    await visitor.goto('/scope')
    await visitor.waitForURL(/\/login\?.*return_to=/)
    await elsewhere.close()
  })
})

it('prepares the email that requests account deletion', async () => {
  await page.goto('/profile')
  const href = (await page.getByRole('link', { name: 'Delete account' }).getAttribute('href')) ?? ''
  const { protocol, searchParams } = new URL(href)
  expect([protocol, searchParams.get('subject')]).toEqual(['mailto:', 'Account deletion'])
  expect(searchParams.get('body')).toContain('Nora Ammann')
})

it('supports administration from the command line while running', async () => {
  const env = { ...process.env, GLACIS_DATA: product.dataFolder, TEST_DATABASE_URL: '', GLACIS_SHARED: '' }
  const glacis = async (...args: string[]) =>
    (await promisify(execFile)(process.execPath, ['apps/server/src/main.ts', 'identity', ...args], { cwd: root, env }))
      .stdout
  // An open page redirects to the sign-in page once the account is disabled, which would interrupt the navigation below.
  await page.goto('about:blank')
  expect(await glacis('list')).toContain(nora.email)
  expect(await glacis('disable', nora.email)).toContain(`${nora.email} is disabled.`)
  await page.goto('/overview')
  await page.waitForURL(/\/login/)
  await glacis('enable', nora.email)
  await signIn()
})

expectNoBrowserErrors()
