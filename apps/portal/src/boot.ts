/**
 * The document shows a frame of the page at once; the program begins when that has been painted, in pieces:
 * a browser that works through all of it without a pause answers to nothing meanwhile.
 */
import { firstPaint, nextTask } from '#lib/first-paint.ts'
import '#styles/app.css'

const pieces = [() => import('react-dom/client'), () => import('#identity/session.ts'), () => import('#main.tsx')]

async function begin(): Promise<void> {
  await firstPaint()
  for (const piece of pieces) {
    await piece()
    await nextTask()
  }
}

void begin()
