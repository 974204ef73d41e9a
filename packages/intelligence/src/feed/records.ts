/** Streams of JSON records: one document that holds an array of them, or one record per line. */

/** Longest record that is read, in characters. */
const recordLengthMax = 32 * 1024 * 1024
/** A document names its array of records within its first characters. */
const headLength = 64 * 1024

/** What is thrown where a stream ends in the middle. */
type Ending = new (message: string) => Error

/**
 * Cuts the records out of a stream of text and holds no more than one of them in memory.
 *
 * @param member name of the array that holds the records where the stream is one document
 * @param ending what to throw when the stream ends inside of a record or of the list; without it such
 *   an end is passed over
 * @returns each record; `undefined` in the place of one that is no JSON or is too long, so that it
 *   can be counted
 */
export async function* readRecords(
  chunks: AsyncIterable<string> | Iterable<string>,
  member: string,
  ending?: Ending,
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
  const last = cut ?? cutFor(head, opening, true)
  yield* last?.(cut ? '\n' : `${head}\n`) ?? []
  if (ending && last?.isOpen()) throw new ending('The file ends in the middle of a record.')
}

/** Reads the members of one large object, one after the other: each by its name. */
export async function* readMembers(
  chunks: AsyncIterable<string> | Iterable<string>,
  ending: Ending,
): AsyncGenerator<readonly [string, unknown]> {
  const cut = cutter(1)
  for await (const chunk of chunks) for (const record of cut(chunk)) yield named(record)
  if (cut.isOpen()) throw new ending('The file ends in the middle of a record.')

  function named(value: unknown): readonly [string, unknown] {
    return [cut.names.shift() ?? '', value]
  }
}

/** Takes the next piece of text and gives the records that it completed. */
interface Cut {
  (chunk: string): unknown[]
  /** True where something that was opened was not closed. */
  isOpen(): boolean
  /** Names of the members whose values were given out, in their order, for records inside of an object. */
  readonly names: string[]
}

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
  let isBroken = false
  const cut = (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > recordLengthMax) rest = '…'
    const records = lines.filter((line) => line.trim() !== '').map(parse)
    if (records.length > 0) isBroken = records.at(-1) === undefined
    return records
  }
  return Object.assign(cut, { isOpen: () => isBroken, names: [] })
}

/** Follows brackets and strings, and parses every object that opens at the given depth. */
function cutter(recordDepth: number): Cut {
  /** What is not given out yet, how far it was looked through, and where the record under way begins. */
  let text = ''
  let at = 0
  let start = -1
  let depth = 0
  let isInString = false
  const names: string[] = []

  const cut = (chunk: string) => {
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
        if (depth === recordDepth && character === '{') {
          start = mark.index
          if (recordDepth === 1) names.push(nameBefore(text, start))
        }
        depth++
      } else if (--depth === recordDepth && character === '}') {
        records.push(start === -1 ? undefined : parse(text.slice(start, mark.index + 1)))
        start = -1
      }
    }
    if (text.length - start > recordLengthMax) start = -1
    // The name of a member stands before it, perhaps in an earlier chunk.
    const kept = start === -1 ? Math.max(0, text.length - (recordDepth === 1 ? nameLengthMax : 0)) : start
    text = text.slice(kept)
    at -= kept
    if (start !== -1) start = 0
    return records
  }
  return Object.assign(cut, { isOpen: () => depth !== 0 || isInString, names })
}

const nameLengthMax = 500

/** The name of the member whose value begins at `at`. */
function nameBefore(text: string, at: number): string {
  const [, name = ''] = /"((?:[^"\\]|\\.)*)"\s*:\s*$/.exec(text.slice(Math.max(0, at - nameLengthMax), at)) ?? []
  return name
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
