/** Streams of JSON records: one document that holds an array of them, or one record per line. */

/** Longest record that is read, in characters. */
const recordLengthMax = 32 * 1024 * 1024
/** A document names its array of records within its first characters. */
const headLength = 64 * 1024

/**
 * Cuts the records out of a stream of text and holds no more than one of them in memory.
 *
 * @param member name of the array that holds the records where the stream is one document
 * @returns each record; `undefined` in the place of one that is no JSON or is too long, so that it
 *   can be counted
 */
export async function* readRecords(
  chunks: AsyncIterable<string> | Iterable<string>,
  member: string,
): AsyncGenerator<unknown> {
  const opening = new RegExp(`"${member}"\\s*:\\s*\\[`)
  let head = ''
  let cut: Cut | null = null
  for await (const chunk of chunks) {
    if (cut) {
      yield* cut(chunk)
      continue
    }
    head += chunk
    cut = cutFor(head, opening, head.length >= headLength)
    if (cut) yield* cut(head)
  }
  // The last line may lack its end, and a short stream is not decided before it.
  yield* cut ? cut('\n') : (cutFor(head, opening, true)?.(`${head}\n`) ?? [])
}

/** Takes the next piece of text and gives the records that it completed. */
type Cut = (chunk: string) => unknown[]

/** Decides by the beginning what kind of stream it is; null where more must be seen first. */
function cutFor(head: string, opening: RegExp, isLastCall: boolean): Cut | null {
  if (opening.test(head)) return cutter(2)
  const end = head.indexOf('\n')
  const isLine = end !== -1 && parse(head.slice(0, end)) !== undefined
  if (isLine) return byLine()
  return isLastCall ? cutter(0) : null
}

/** One record per line: a broken line spoils no other. */
function byLine(): Cut {
  let rest = ''
  return (chunk) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > recordLengthMax) rest = '…'
    return lines.filter((line) => line.trim() !== '').map(parse)
  }
}

/** Follows brackets and strings, and parses every object that opens at the given depth. */
function cutter(recordDepth: number): Cut {
  /** What is not given out yet, how far it was looked through, and where the record under way begins. */
  let text = ''
  let at = 0
  let start = -1
  let depth = 0
  let isInString = false

  return (chunk) => {
    text += chunk
    const records: unknown[] = []
    const marks = /["\\{}[\]]/g
    marks.lastIndex = at
    at = Math.max(at, text.length)
    for (let mark = marks.exec(text); mark; mark = marks.exec(text)) {
      const [character] = mark
      if (character === '\\') {
        // What a backslash quotes may only come with the next chunk.
        marks.lastIndex += 1
        at = Math.max(at, marks.lastIndex)
      } else if (character === '"') isInString = !isInString
      else if (isInString) continue
      else if (character === '{' || character === '[') {
        if (depth === recordDepth && character === '{') start = mark.index
        depth++
      } else if (--depth === recordDepth && character === '}') {
        records.push(start === -1 ? undefined : parse(text.slice(start, mark.index + 1)))
        start = -1
      }
    }
    if (text.length - start > recordLengthMax) start = -1
    const kept = start === -1 ? text.length : start
    text = text.slice(kept)
    at -= kept
    if (start !== -1) start = 0
    return records
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
