/**
 * The document shows a frame of the page at once; the program begins when that has been painted, one file after
 * the other, as the build has named them in the document: each after those that it needs, those of this page last.
 * A browser that works through all of them without a pause answers to nothing meanwhile.
 */
import { reloadOnMissingParts } from '#lib/chunk-reload.ts'
import { firstPaint, nextTask } from '#lib/first-paint.ts'
import '#styles/app.css'

async function begin(): Promise<void> {
  reloadOnMissingParts()
  await firstPaint()
  const parts = [...document.querySelectorAll<HTMLLinkElement>('link[rel=modulepreload]')]
  // `early.js` names the parts of the page before the document has named those of every page, which they need: a
  // part that is run first runs all of these at once.
  for (const part of parts.toSorted((a, b) => Number('page' in a.dataset) - Number('page' in b.dataset))) {
    // What cannot be loaded fails once more below, where it is dealt with.
    await import(/* @vite-ignore */ part.href).catch(() => undefined)
    await nextTask()
  }
  const { start } = await import('#main.tsx')
  const place = document.getElementById('root')
  if (place) await start(place)
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
