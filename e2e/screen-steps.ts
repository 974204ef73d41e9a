/** Interactions that bring a screen into the state to check. Each resolves when that state is shown. */
import type { Page, Route } from 'playwright-core'
import { openDialog, settle } from './page-ready.ts'

/** Loading indicators appear after one second. */
export async function waiting(page: Page): Promise<void> {
  await page.locator('main :is(.animate-skeleton, [aria-busy=true])').first().waitFor()
}

export function press(name: string | RegExp): (page: Page) => Promise<void> {
  return (page) => page.getByRole('button', { name }).first().click()
}

/** The dialog's code may still be loading when its button is pressed. */
export function opensDialog(name: string | RegExp): (page: Page) => Promise<void> {
  return async (page) => {
    await press(name)(page)
    await openDialog(page.getByRole('dialog'))
  }
}

/** The URL opens the form, whose code is loaded on demand. */
export async function formOpened(page: Page): Promise<void> {
  await openDialog(page.getByRole('dialog'))
}

/** Simulates feeds fetched from the network, which tests don't do. */
export async function checkableFeeds(page: Page): Promise<void> {
  await page.route('**/v1/feeds', async (route) => {
    const response = await route.fetch()
    const { feeds } = (await response.json()) as { readonly feeds: readonly object[] } // as the contract guarantees
    await route.fulfill({ response, json: { feeds: feeds.map((feed) => ({ ...feed, checkable: true })) } })
  })
  await page.reload()
  await page.getByRole('button', { name: 'Check now' }).first().waitFor()
}

/** No account has this address; the response doesn't reveal that. */
export async function askForCode(page: Page): Promise<void> {
  await page.getByLabel('Email').fill('nobody@aarewerk.example')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { name: 'Check your email' }).waitFor()
}

export async function fromInside(page: Page): Promise<void> {
  await page.getByRole('radio', { name: 'From another network' }).check()
  await page.getByLabel('Agent name').waitFor()
}

export async function listRead(page: Page): Promise<void> {
  await press('Paste a list')(page)
  await page.getByLabel('Addresses').fill('www.aarewerk.example\n10.20.0.0/24, 10.20.0.0/24\nnot/an/address')
  await page.getByText('4 addresses: 2 new, 1 duplicate, 1 invalid.').waitFor()
}

export async function accountMenu(page: Page): Promise<void> {
  await page
    .getByRole('button', { name: /Nora Ammann/ })
    .filter({ visible: true })
    .click()
  await page.getByRole('menu').waitFor()
}

export async function selectThree(page: Page): Promise<void> {
  const boxes = page.getByRole('row').getByRole('checkbox')
  for (const index of [1, 2, 3]) await boxes.nth(index).check()
}

export async function preview(page: Page): Promise<void> {
  await page.locator('main tbody tr[data-row]').first().waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('Space')
  await page.locator('[data-preview]').waitFor()
}

export async function palette(page: Page): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search everything' }).fill('redis')
  await page.getByRole('option').first().waitFor()
}

export async function keyboardHelp(page: Page): Promise<void> {
  await page.keyboard.press('?')
  await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor()
}

/** The layout runs in a worker; the canvas signals when nodes are placed. */
export function arranged(page: Page): Promise<void> {
  return page.locator('canvas[data-in-sight]').waitFor()
}

/** Selects the current value again, so that nothing changes: first the request succeeds, then it fails. */
export async function twoToasts(page: Page): Promise<void> {
  const notices = page.getByRole('region', { name: 'Notifications' })
  const choose = async () => {
    await page
      .getByRole('button', { name: /^Notify from/ })
      .first()
      .click()
    await page.getByRole('menuitemradio', { checked: true }).click()
  }
  await choose()
  await notices.getByText('Success').waitFor()
  await page.route('**/v1/products/*', fail)
  await choose()
  await notices.getByText('API failure').waitFor()
}

export async function fail(route: Route): Promise<void> {
  await route.fulfill({ status: 503, json: { code: 14, message: 'The database is being restarted.' } })
}

/** Shows the members to mention in a comment. */
export async function mention(page: Page): Promise<void> {
  await page.getByLabel('Comment', { exact: true }).pressSequentially('@')
  await page.getByRole('listbox', { name: 'Members' }).getByRole('option').first().waitFor()
}

/** Shows the page as a viewer sees it. */
export async function asViewer(page: Page): Promise<void> {
  await page.route('**/v1/workspace', async (route) => {
    const response = await route.fetch()
    const { workspace } = (await response.json()) as { workspace: object } // the response of getWorkspace
    await route.fulfill({ response, json: { workspace: { ...workspace, role: 'viewer' } } })
  })
  await page.reload()
  await settle(page)
  // The restored scroll position of the previous screen can leave a link half under the sticky bar.
  await page.evaluate('scrollTo(0, 0)')
}

/** Shows an invitation that can be accepted. */
export async function invited(page: Page): Promise<void> {
  const invitation = {
    id: '01a2100e-5559-7f0d-b6dc-14c122af24e1',
    workspaceName: 'Aarewerk Security',
    role: 'analyst',
    invitedBy: 'Max Keller',
    expireTime: new Date(Date.now() + 86_400_000).toISOString(),
  }
  await page.route('**/v1/invitations/preview*', (route) => route.fulfill({ json: { invitation } }))
  await page.reload()
  await page.getByRole('button', { name: 'Join Aarewerk Security' }).waitFor()
}

/** Shows an open page after the person was removed from the workspace. */
export async function removed(page: Page): Promise<void> {
  const details = [
    { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'MEMBERSHIP_ENDED', domain: 'glacis' },
  ]
  const json = {
    code: 7,
    message: 'You are no longer a member of this workspace. Ask an owner or admin to invite you again',
    details,
  }
  await page.route('**/v1/workspace', (route) => route.fulfill({ status: 403, json }))
  await page.reload()
  await page.getByRole('heading', { name: 'You no longer have access' }).waitFor()
}
