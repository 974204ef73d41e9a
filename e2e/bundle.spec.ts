/** What a browser has to load, against its limits. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openBrowser } from './browser.ts'
import { dist, partsOf, questionsOf, weights } from './bundle.ts'
import { nora, openStage } from './stage.ts'

const firstMax = 160_000
const laterMax = 40_000
/** A browser asks for six files at a time. */
const roundsMax = 3

it('shows the portal after at most 160 KB of JavaScript, compressed', async () => {
  expect((await weights()).first).toBeLessThanOrEqual(firstMax)
})

it('loads at most 40 KB for each further part', async () => {
  const { later } = await weights()
  expect(later.length).toBeGreaterThan(20)
  expect(later.filter(({ bytes }) => bytes > laterMax)).toEqual([])
})

it('names the parts of every page, so that they are fetched with the program and not after it', async () => {
  const pages = ['/', '/login', '/overview', '/onboarding', '/profile', '/subscription', '/integrations', '/scans/1']
  const lists = ['/technologies', '/scope', '/agents', '/assets', '/scans', '/risks/verified', '/risks/potential']
  const details = ['/scope/1', '/scope/1/scans', '/scope/1/issues', '/scope/1/assets', '/agents/1', '/risks/1']
  const others = ['/assets/1', '/assets/1/technologies', '/assets/1/issues', '/technologies/1', '/risks/visual']
  const all = [...pages, ...lists, ...details, ...others]
  const numbers = await Promise.all(all.map(async (path) => [path, (await partsOf(path)).length] as const))
  expect(numbers.filter(([, parts]) => parts === 0 || parts > roundsMax * 6)).toEqual([])
})

it('says what a page is before the program is there, as the page itself does', async () => {
  const stage = await openStage('words')
  try {
    await stage.visitor.signUp(nora, stage.product.dataFolder)
    const page = await stage.newPageOfNora()
    for (const path of ['/overview', '/scope', '/risks/verified', '/risks/potential', '/agents', '/onboarding']) {
      await page.route('**/files/program*', (route) => route.abort())
      await page.goto(path, { waitUntil: 'commit' })
      const lede = page.locator('#frame-lede')
      await lede.filter({ hasText: /./ }).waitFor()
      const title = await page.locator('#frame-title').innerText()
      const words = await lede.innerText()
      await page.unroute('**/files/program*')
      await page.goto(path)
      await page.locator('main h1').filter({ hasText: title }).waitFor()
      await page.locator('main header').filter({ hasText: words }).waitFor()
    }
  } finally {
    await stage.close()
  }
}, 120_000)

/** As `api/query.ts` has it. In milliseconds. */
const freshMs = 2000

it('asks once for what a page begins with, and before there is a program', async () => {
  const stage = await openStage('questions')
  try {
    await stage.visitor.signUp(nora, stage.product.dataFolder)
    const page = await stage.newPageOfNora()
    const asked: { url: string; at: number }[] = []
    page.on('request', (request) => {
      asked.push({ url: request.url().slice(stage.product.url.length), at: performance.now() })
    })
    const paths = ['/overview', '/scope', '/assets', '/technologies', '/scans', '/integrations', '/risks/visual']
    for (const path of [...paths, '/risks/verified', '/risks/potential']) {
      const questions = await questionsOf(path)
      expect(questions.length, path).toBeGreaterThan(0)
      // The page before asks for nothing any more: signing in has led to one that had only begun.
      await page.goto('about:blank')
      asked.length = 0
      // The program listens for events when it has asked for what it shows.
      const events = page.waitForRequest(/\/v1\/events/)
      await page.goto(path)
      await events
      await page.locator('main h1').waitFor()
      for (const question of questions) {
        const times = asked.filter(({ url }) => url === question).map(({ at }) => at)
        // Where a page took longer to come than its answer is fresh, it may ask anew.
        const twice = times.filter((at, index) => index > 0 && at - (times[index - 1] ?? 0) < freshMs)
        expect([path, question, times.length > 0, twice]).toEqual([path, question, true, []])
      }
    }
  } finally {
    await stage.close()
  }
}, 120_000)

it('paints before the program is there, and says so when it never comes', async () => {
  const browser = await openBrowser()
  try {
    const page = await browser.newPage()
    await page.route('**/*', (route) => {
      const { pathname } = new URL(route.request().url())
      if (/config\.json|program/.test(pathname)) return route.abort()
      return route.fulfill({ path: join(dist, pathname.includes('.') ? pathname : 'index.html') })
    })
    await page.goto('https://portal.example/login')
    await page.getByText('New here? Create an account').waitFor()
    await page.getByRole('alert').getByText('Glacis could not be loaded').waitFor()
  } finally {
    await browser.close()
  }
}, 60_000)
