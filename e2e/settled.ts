/** Going to a page of the portal and waiting until it stands: by what the page does, and never by how long it takes. */
import type { Locator, Page, Request } from 'playwright-core'

/** Runs in the page: resolves when what it has to do is done and painted. */
const idle = `new Promise((resolve) =>
  requestAnimationFrame(() => requestIdleCallback(() => requestIdleCallback(() => resolve()))))`

interface Traffic {
  readonly open: Set<Request>
  /** Requests that began or ended up to now. */
  turns: number
}
const watched = new WeakMap<Page, Traffic>()

/** Goes to `path` and waits until the page there has settled. */
export async function open(page: Page, path: string): Promise<void> {
  // What the page before has not been answered, this one does not wait for.
  watch(page).open.clear()
  await page.goto(path)
  await settle(page)
}

/** Goes to a page whose questions are not answered, and waits until it stands there and waits itself. */
export async function openUnanswered(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await stand(page)
}

/**
 * Waits until every question of the page is answered, what came has been drawn, and its fonts are there. The stream of
 * events stays open and does not count.
 */
export async function settle(page: Page): Promise<void> {
  const traffic = watch(page)
  let before: number
  do {
    before = traffic.turns
    await stand(page)
  } while (traffic.open.size > 0 || traffic.turns !== before)
  await page.evaluate('document.fonts.ready')
}

/** A dialog as soon as it has come in and stands still. */
export async function opened(dialog: Locator): Promise<Locator> {
  await dialog.locator('[data-floating]:not([data-closed], [data-transition])').waitFor()
  return dialog
}

/** Waits until the program has taken the place of its frame and has nothing left to do. */
async function stand(page: Page): Promise<void> {
  await page.locator('#frame').waitFor({ state: 'detached' })
  await page.locator('h1').first().waitFor({ state: 'attached' })
  await page.evaluate(idle)
}

function watch(page: Page): Traffic {
  const known = watched.get(page)
  if (known) return known
  const traffic: Traffic = { open: new Set(), turns: 0 }
  const end = (request: Request) => {
    if (traffic.open.delete(request)) traffic.turns++
  }
  page.on('request', (request) => {
    if (request.resourceType() === 'eventsource') return
    traffic.open.add(request)
    traffic.turns++
  })
  page.on('requestfinished', end)
  page.on('requestfailed', end)
  watched.set(page, traffic)
  return traffic
}
