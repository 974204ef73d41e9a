import { nextTask } from '#lib/first-paint.ts'

let last: Promise<void> | undefined

/**
 * Resolves when it is the caller's turn: whoever comes first goes at once, all others of the same moment each in a
 * task of their own. For what takes a browser a few milliseconds and is asked for by a dozen parts of a page.
 */
export async function turn(): Promise<void> {
  const before = last
  const mine = (before ?? Promise.resolve()).then(nextTask)
  last = mine
  void mine.then(() => {
    if (last === mine) last = undefined
  })
  await before
}
