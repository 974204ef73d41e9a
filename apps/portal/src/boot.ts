/**
 * The document shows a frame of the page at once; the program begins when that has been painted, in pieces:
 * a browser that works through all of it without a pause answers to nothing meanwhile.
 */
import { reloadOnMissingParts } from '#lib/chunk-reload.ts'
import { firstPaint, nextTask } from '#lib/first-paint.ts'
import '#styles/app.css'

const pieces = [() => import('react-dom/client'), () => import('#identity/session.ts')]
/** Only the product has them, and there the shell waits for them. */
const answers = () => import('@glacis/contract/insights')
const program = () => import('#main.tsx')

async function begin(): Promise<void> {
  reloadOnMissingParts()
  await firstPaint()
  const isInside = document.documentElement.dataset['frame'] === 'app'
  for (const piece of [...pieces, ...(isInside ? [answers] : []), program]) {
    await piece()
    await nextTask()
  }
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
