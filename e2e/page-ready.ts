/** Opens portal pages and waits until they are ready, based on page activity rather than time. */
import type { Locator, Page, Request } from 'playwright-core'

/** Runs in the page: resolves when it is idle and painted. */
const idle = `new Promise((resolve) =>
  requestAnimationFrame(() => requestIdleCallback(() => requestIdleCallback(() => resolve()))))`

interface Traffic {
  readonly openPage: Set<Request>
  /** Requests started or finished so far. */
  turns: number
}
const watched = new WeakMap<Page, Traffic>()

/** Opens `path` and waits until the page is ready. */
export async function open(page: Page, path: string): Promise<void> {
  // Pending requests of the previous page don't count.
  watch(page).openPage.clear()
  await page.goto(path)
  await settle(page)
}

/** Opens a page whose requests stay pending, and waits for its loading state. */
export async function openPendingPage(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await waitForTitle(page)
}

/**
 * Waits until all requests are done, the results are rendered, and fonts are loaded. The event stream stays open and
 * is ignored.
 */
export async function settle(page: Page): Promise<void> {
  const traffic = watch(page)
  let before: number
  do {
    before = traffic.turns
    await waitForTitle(page)
  } while (traffic.openPage.size > 0 || traffic.turns !== before)
  await page.evaluate('document.fonts.ready')
}

/**
 * Resizes the window. On a busy machine, headless Chromium sometimes doesn't render the next frame until something else
 * changes, so waiting for it could take forever. The event reaches the page without one.
 */
export async function resize(page: Page, size: { readonly width: number; readonly height: number }): Promise<void> {
  await page.setViewportSize(size)
  await page.evaluate(`dispatchEvent(new Event('resize'))`)
}

/** Waits until a dialog's opening transition has ended. */
export async function openDialog(dialog: Locator): Promise<Locator> {
  await dialog.locator('[data-floating]:not([data-closed], [data-transition])').waitFor()
  return dialog
}

/** Waits until the page has a title and is idle. */
async function waitForTitle(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor({ state: 'attached' })
  await page.evaluate(idle)
}

function watch(page: Page): Traffic {
  const cached = watched.get(page)
  if (cached) return cached
  const traffic: Traffic = { openPage: new Set(), turns: 0 }
  const end = (request: Request) => {
    if (traffic.openPage.delete(request)) traffic.turns++
  }
  page.on('request', (request) => {
    if (request.resourceType() === 'eventsource') return
    traffic.openPage.add(request)
    traffic.turns++
  })
  page.on('requestfinished', end)
  page.on('requestfailed', end)
  watched.set(page, traffic)
  return traffic
}
