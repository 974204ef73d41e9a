/**
 * Measures the visual map with 2,000 nodes, the API's maximum, in headless Chromium without a GPU: layout time in the
 * worker, and frame time while panning and zooming.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { openBrowser } from '../e2e/browser.ts'
import { freePort } from '../e2e/ports.ts'
import { startProduct } from '../lab/product.ts'
import { visit } from '../lab/visitor.ts'

const nodeCount = 2000
const person = { email: 'nora.ammann@aarewerk.example', password: 'contour-line-4478', first: 'Nora', last: 'Ammann' }

/**
 * Runs in the page: measures workers from their first message to their response and records tasks longer than 50 ms.
 */
const instrumentation = `
  window.workerTimes = []
  window.blocked = []
  window.Worker = class extends Worker {
    constructor(...args) {
      super(...args)
      this.addEventListener('message', () => window.workerTimes.push(performance.now() - this.startedAt))
    }
    postMessage(message) {
      this.startedAt = performance.now()
      super.postMessage(message)
    }
  }
  new PerformanceObserver((list) => window.blocked.push(...list.getEntries().map((entry) => entry.duration)))
    .observe({ entryTypes: ['longtask'] })`

const dataFolder = await mkdtemp(join(tmpdir(), 'glacis-map-'))
const product = await startProduct({ port: await freePort(), dataFolder, settings: { GLACIS_LOG_LEVEL: 'error' } })
const browser = await openBrowser()
try {
  await visit(product.url).signUp(person, dataFolder)
  const page = await browser.newPage({ baseURL: product.url, viewport: { width: 1440, height: 900 } })
  const body = JSON.stringify(sample(nodeCount))
  await page.route('**/v1/ecosystem*', (route) => route.fulfill({ contentType: 'application/json', body }))
  await page.goto('/login')
  await page.locator('input[name=identifier]').fill(person.email)
  await page.locator('input[name=password]').fill(person.password)
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/overview/)
  await page.addInitScript({ content: instrumentation })
  await page.goto('/risks/visual')
  await page.locator('canvas[data-in-sight]').waitFor({ timeout: 120_000 })
  const [start] = (await page.evaluate('window.workerTimes')) as number[]
  report('layout of 2,000 nodes in the worker', start ?? Infinity, 'ms', 1500)
  await page.evaluate('window.blocked.length = 0')
  const frames = [...(await pan(page)), ...(await zoom(page))].toSorted((a, b) => a - b)
  report('frame while panning and zooming, p50', frames[Math.floor(frames.length * 0.5)] ?? 0, 'ms', 17)
  report('frame while panning and zooming, p95', frames[Math.floor(frames.length * 0.95)] ?? 0, 'ms', 33)
  const blocked = (await page.evaluate('window.blocked')) as number[]
  report('longest task while panning and zooming', Math.max(0, ...blocked), 'ms', 50)
} finally {
  await browser.close()
  await product.stop()
  await rm(dataFolder, { recursive: true, force: true })
}

async function pan(page: Page): Promise<number[]> {
  const box = { x: 900, y: 500 }
  await page.mouse.move(box.x, box.y)
  await page.mouse.down()
  const frames = timeFrames(page, 120)
  for (let step = 0; step < 60; step++) await page.mouse.move(box.x + 4 * step, box.y - 2 * step)
  await page.mouse.up()
  return frames
}

async function zoom(page: Page): Promise<number[]> {
  const frames = timeFrames(page, 160)
  for (let step = 0; step < 40; step++) await page.mouse.wheel(0, step < 20 ? 100 : -100)
  return frames
}

/** Milliseconds between frames. */
async function timeFrames(page: Page, count: number): Promise<number[]> {
  const script = `new Promise((resolve) => {
    const times = []
    let before = performance.now()
    const next = (now) => {
      times.push(now - before)
      before = now
      if (times.length < ${count}) requestAnimationFrame(next)
      else resolve(times.slice(1))
    }
    requestAnimationFrame(next)
  })`
  return (await page.evaluate(script)) as number[] // the script resolves with numbers
}

/** Few products, many hosts, and threats linked to the products. */
function sample(count: number) {
  let seed = 7
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647
  const [products, hosts] = [Math.round(count * 0.1), Math.round(count * 0.6)]
  const kind = (number: number) => (number < products ? 'PRODUCT' : number < products + hosts ? 'HOST' : 'THREAT')
  const nodes = Array.from({ length: count }, (_, number) => ({
    id: String(number),
    name: `${kind(number).toLowerCase()} ${number}`,
    kind: `KIND_${kind(number)}`,
  }))
  const links = nodes.slice(products).map(({ id }, index) => {
    const product = String(Math.floor(products * random() ** (index < hosts ? 2 : 1)))
    return index < hosts ? { sourceNodeId: id, targetNodeId: product } : { sourceNodeId: product, targetNodeId: id }
  })
  return { nodes, links, totalNodeCount: count }
}

function report(figure: string, value: number, unit: string, limit: number): void {
  console.log(JSON.stringify({ figure, value, unit, limit }))
}
