/**
 * Answers that are given again while the database is as it was. Pages ask the same for as long as
 * they are open, and mostly nothing has happened since.
 */
import { LRUCache } from 'lru-cache'

export interface Answers {
  /**
   * The body that `work` writes, or the one it wrote before where no transaction has ended since.
   *
   * @param question says who asks and what: equal questions have equal answers
   * @param work gives the body; it reads the database and changes nothing
   */
  read(question: string, work: () => Promise<string>): Promise<string>
}

interface Kept {
  readonly state: string
  readonly body: string
}

/** Bytes of all answers that are kept, at two for each character. */
const bytesMax = 24_000_000
/** Some answers tell what time makes of the data, such as who has been silent for too long. */
const keptMs = 1000

/**
 * @param stateOf names what a reader sees who begins now: two that are equal see the same. What an answer was kept
 *   under is asked before its work begins, so that of what ended meanwhile the answer is called older, never newer.
 */
export function createAnswers(stateOf: () => Promise<string>): Answers {
  const kept = new LRUCache<string, Kept>({
    maxSize: bytesMax,
    sizeCalculation: (one, question) => 2 * (one.body.length + question.length),
    ttl: keptMs,
  })
  return {
    async read(question, work) {
      const state = await stateOf()
      const known = kept.get(question)
      if (known?.state === state) return known.body
      const body = await work()
      kept.set(question, { state, body })
      return body
    },
  }
}
