/**
 * Reads that share their work. When something changes, every open page asks the same again at once;
 * then one of them asks the database for all that wait.
 *
 * Nobody gets an old answer: a read joins only a run that has not begun, so whatever was answered
 * before the read was sent is in it.
 */
export interface Reads {
  /**
   * Runs `work`, or waits for the run of an equal question that is still to begin. Of equal questions
   * one runs at a time. What fails fails for all who waited for it.
   *
   * @param question says who asks and what: equal questions have equal answers
   */
  share<T>(question: string, work: () => Promise<T>): Promise<T>
}

/** @param most runs at a time, of all questions together */
export function createReads(most: number): Reads {
  const toBegin = new Map<string, Promise<unknown>>()
  const underWay = new Map<string, Promise<unknown>>()
  const seats = createSeats(most)

  async function run<T>(question: string, work: () => Promise<T>): Promise<T> {
    await underWay.get(question)?.catch(() => undefined)
    await seats.take()
    // From here on nobody joins.
    toBegin.delete(question)
    const answer = work()
    underWay.set(question, answer)
    try {
      return await answer
    } finally {
      // The next one may have begun already.
      if (underWay.get(question) === answer) underWay.delete(question)
      seats.give()
    }
  }

  return {
    share<T>(question: string, work: () => Promise<T>) {
      const joined = toBegin.get(question)
      if (joined) return joined as Promise<T> // equal questions have equal answers
      const answer = run(question, work)
      toBegin.set(question, answer)
      return answer
    },
  }
}

/** So many may sit; who comes first sits first. */
function createSeats(most: number) {
  let free = most
  const queue: (() => void)[] = []
  return {
    async take() {
      if (free > 0) free--
      else await new Promise<void>((resolve) => queue.push(resolve))
    },
    give() {
      const next = queue.shift()
      if (next) next()
      else free++
    },
  }
}
