/**
 * The document shows a frame of the page at once, and what that takes has the line to itself. When it has been painted,
 * everything that the program and this page are made of is fetched together and run one file after the other, each
 * after those that it needs: a browser that works through all of them without a pause answers to nothing meanwhile.
 */
import { reloadOnMissingParts } from '#lib/chunk-reload.ts'
import { answersShown, partsOfPage } from '#lib/early.ts'
import { firstPaint, nextPaint, nextTask } from '#lib/first-paint.ts'
import '#styles/app.css'

async function begin(): Promise<void> {
  reloadOnMissingParts()
  await firstPaint()
  await answersShown()
  // The sentence of the plan is the largest that a phone shows: nothing else is fetched before it stands there.
  await nextPaint()
  const parts = partsOfPage()
  for (const part of parts) {
    fetchPart(part)
    await nextTask()
  }
  if (document.documentElement.dataset['frame'] === 'app') fetchMono()
  for (const part of parts) {
    // What cannot be loaded fails once more below, where it is dealt with.
    await import(/* @vite-ignore */ part).catch(() => undefined)
    await nextTask()
  }
  const { start } = await import('#main.tsx')
  const place = document.getElementById('root')
  if (place) await start(place)
}

/** Addresses and hosts stand on every page with data; a font that comes after them has the whole page laid out anew. */
function fetchMono(): void {
  if (!('fonts' in document)) return
  document.fonts.load('1em "Geist Mono Variable"').catch(() => undefined) // what stands in for it is as good
}

/** Answers that the page waits for go before it. */
function fetchPart(href: string): void {
  const link = document.createElement('link')
  link.rel = 'modulepreload'
  link.fetchPriority = 'low'
  link.crossOrigin = ''
  link.href = href
  document.head.append(link)
}

/** Nothing else of ours is there to say so. */
function tellTrouble(): void {
  const frame = document.getElementById('frame')
  if (!frame) return
  frame.removeAttribute('aria-hidden')
  frame.setAttribute('role', 'alert')
  frame.className = 'p-8'
  frame.textContent = 'Glacis could not be loaded. Check the connection and reload the page.'
}

begin().catch(tellTrouble)
