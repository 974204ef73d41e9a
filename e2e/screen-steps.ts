/** What is done on a screen before it is looked at. The page has settled; each resolves when its part stands there. */
import type { Page, Route } from 'playwright-core'
import { opened } from './settled.ts'

/** In the first second nothing shows that it waits. */
export async function waiting(page: Page): Promise<void> {
  await page.locator('main :is(.animate-skeleton, [aria-busy=true])').first().waitFor()
}

export function press(name: string | RegExp): (page: Page) => Promise<void> {
  return (page) => page.getByRole('button', { name }).first().click()
}

/** What a dialog is made of may still be on its way when its button is pressed, and then it comes in. */
export function opensDialog(name: string | RegExp): (page: Page) => Promise<void> {
  return async (page) => {
    await press(name)(page)
    await opened(page.getByRole('dialog'))
  }
}

/** Nobody has this address; that is not told. */
export async function askForCode(page: Page): Promise<void> {
  await page.getByLabel('Email').fill('nobody@aarewerk.example')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { name: 'Check your email' }).waitFor()
}

export async function fromInside(page: Page): Promise<void> {
  await page.getByRole('radio', { name: 'From inside your network' }).check()
  await page.getByLabel('Agent name').waitFor()
}

export async function listRead(page: Page): Promise<void> {
  await press('Paste a list')(page)
  await page.getByLabel('Addresses').fill('www.aarewerk.example\n10.20.0.0/24, 10.20.0.0/24\nnot/an/address')
  await page.getByText('4 addresses: 2 new, 1 more than once, 1 not understood.').waitFor()
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
  for (const index of [1, 2, 3]) await boxes.nth(index).check({ force: true })
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
  await page.getByRole('heading', { name: 'Keyboard' }).waitFor()
}

/** The layout runs beside the page; the canvas says when nodes stand on it. */
export function arranged(page: Page): Promise<void> {
  return page.locator('canvas[data-in-sight]').waitFor()
}

/** What stands there is chosen once more, so that nothing changes: first it is saved, then it fails. */
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
