/**
 * Answers that are given again while the database is as it was. Pages ask the same for as long as
 * they are open, and mostly nothing has happened since.
 */
import { LRUCache } from 'lru-cache'

export interface Answers {
  /**
   * The body that `work` writes, or the one it wrote or is writing where no transaction has ended since it began.
   *
   * @param question says who asks and what: equal questions have equal answers
   * @param work gives the body; it reads the database and changes nothing
   */
  read(question: string, work: () => Promise<string>): Promise<Buffer>
}

interface Kept {
  readonly state: string
  readonly body: Buffer
}
interface Awaited {
  readonly state: string
  readonly body: Promise<Buffer>
}

/** Of all answers that are kept. */
const bytesMax = 24_000_000
/** Some answers tell what time makes of the data, such as who has been silent for too long. */
const keptMs = 3000

/**
 * @param stateOf names what a reader sees who begins now: two that are equal see the same. What an answer was kept
 *   under is asked before its work begins, so that of what ended meanwhile the answer is called older, never newer.
 */
export function createAnswers(stateOf: () => Promise<string>): Answers {
  const kept = new LRUCache<string, Kept>({
    maxSize: bytesMax,
    sizeCalculation: ({ body }, question) => body.length + 2 * question.length,
    ttl: keptMs,
  })
  const awaited = new Map<string, Awaited>()

  async function workOut(question: string, state: string, work: () => Promise<string>): Promise<Buffer> {
    const body = Buffer.from(await work())
    kept.set(question, { state, body })
    return body
  }

  return {
    async read(question, work) {
      const state = await stateOf()
      const known = [kept.get(question), awaited.get(question)].find((one) => one?.state === state)
      if (known) return known.body
      const own = { state, body: workOut(question, state, work) }
      awaited.set(question, own)
      try {
        return await own.body
      } finally {
        // One of a later state may stand there by now.
        if (awaited.get(question) === own) awaited.delete(question)
      }
    },
  }
}
