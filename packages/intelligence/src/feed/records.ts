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
  let cut: ((text: string) => unknown[]) | null = null
  for await (const chunk of chunks) {
    if (cut) {
      yield* cut(chunk)
      continue
    }
    head += chunk
    const isDocument = opening.test(head)
    if (!isDocument && head.length < headLength) continue
    cut = cutter(isDocument ? 2 : 0)
    yield* cut(head)
  }
  if (!cut) yield* cutter(opening.test(head) ? 2 : 0)(head)
}

/** Follows brackets and strings, and parses every object that opens at the given depth. */
function cutter(recordDepth: number): (chunk: string) => unknown[] {
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
