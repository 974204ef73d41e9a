/** Streaming reader for JSON records: a document that contains an array of records, or one record per line. */

/** The maximum length of a record, in characters. */
const recordLengthMax = 32 * 1024 * 1024
/** In characters. The array of records must start within the head of the document. */
const headLength = 64 * 1024

type ErrorClass = new (message: string) => Error

/**
 * Extracts the records from a stream of text, with at most one of them in memory.
 *
 * @param member name of the array of records, if the stream is one document
 * @param TruncatedError thrown if the stream ends inside a record or the list; if omitted, a truncated
 *   stream is accepted
 * @returns the records; `undefined` for a record that is invalid JSON or too long, so that it can be
 *   counted
 */
export async function* readRecords(
  chunks: AsyncIterable<string> | Iterable<string>,
  member: string,
  TruncatedError?: ErrorClass,
): AsyncGenerator<unknown> {
  const arrayStart = new RegExp(`"${member}"\\s*:\\s*\\[`)
  let head = ''
  let splitter: Splitter | null = null
  for await (const chunk of chunks) {
    if (splitter) {
      yield* splitter(chunk)
      continue
    }
    head += chunk
    splitter = chooseSplitter(head, arrayStart, head.length >= headLength)
    if (splitter) yield* splitter(head)
  }
  // The last line may lack a line break, and the format of a short stream is known only at its end.
  const last = splitter ?? chooseSplitter(head, arrayStart, true)
  yield* last?.(splitter ? '\n' : `${head}\n`) ?? []
  if (TruncatedError && last?.isOpen()) throw new TruncatedError('The file ends in the middle of a record.')
}

/** Reads the members of one large object as pairs of name and value. */
export async function* readMembers(
  chunks: AsyncIterable<string> | Iterable<string>,
  TruncatedError: ErrorClass,
): AsyncGenerator<readonly [string, unknown]> {
  const splitter = createObjectSplitter(1)
  for await (const chunk of chunks) for (const record of splitter(chunk)) yield withName(record)
  if (splitter.isOpen()) throw new TruncatedError('The file ends in the middle of a record.')

  function withName(value: unknown): readonly [string, unknown] {
    return [splitter.memberNames.shift() ?? '', value]
  }
}

/** Splits a stream into records: takes the next chunk and returns the records that it completes. */
interface Splitter {
  (chunk: string): unknown[]
  /** True if a record or a list is incomplete. */
  isOpen(): boolean
  /** For members of an object: the names of the returned values, in order. */
  readonly memberNames: string[]
}

/** Chooses the splitter from the beginning of the stream; null if more text is needed. */
function chooseSplitter(head: string, arrayStart: RegExp, isEndOfStream: boolean): Splitter | null {
  if (arrayStart.test(head)) return createObjectSplitter(2)
  const end = head.indexOf('\n')
  const isLine = end !== -1 && parse(head.slice(0, end)) !== undefined
  if (isLine) return createLineSplitter()
  return isEndOfStream ? createObjectSplitter(0) : null
}

/** Splits by line, so an invalid line doesn't affect others. */
function createLineSplitter(): Splitter {
  let rest = ''
  let isBroken = false
  const split = (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > recordLengthMax) rest = '…'
    const records = lines.filter((line) => line.trim() !== '').map(parse)
    if (records.length > 0) isBroken = records.at(-1) === undefined
    return records
  }
  return Object.assign(split, { isOpen: () => isBroken, memberNames: [] })
}

/** Tracks brackets and strings, and parses every object that starts at the given depth. */
function createObjectSplitter(recordDepth: number): Splitter {
  /** The text that is not yet returned. */
  let text = ''
  /** How far `text` has been scanned. */
  let scannedTo = 0
  /** Start of the current record in `text`; -1 outside of records. */
  let start = -1
  let depth = 0
  let isInString = false
  const memberNames: string[] = []

  const split = (chunk: string) => {
    text += chunk
    const records: unknown[] = []
    const tokens = /["\\{}[\]]/g
    tokens.lastIndex = scannedTo
    scannedTo = Math.max(scannedTo, text.length)
    for (let token = tokens.exec(text); token; token = tokens.exec(text)) {
      const [character] = token
      if (character === '\\') {
        // The escaped character may be in the next chunk.
        tokens.lastIndex += 1
        scannedTo = Math.max(scannedTo, tokens.lastIndex)
      } else if (character === '"') isInString = !isInString
      else if (isInString) continue
      else if (character === '{' || character === '[') {
        if (depth === recordDepth && character === '{') {
          start = token.index
          if (recordDepth === 1) memberNames.push(nameBefore(text, start))
        }
        depth++
      } else if (--depth === recordDepth && character === '}') {
        records.push(start === -1 ? undefined : parse(text.slice(start, token.index + 1)))
        start = -1
      }
    }
    if (text.length - start > recordLengthMax) start = -1
    // The name of a member precedes its value and may be in an earlier chunk.
    const discarded = start === -1 ? Math.max(0, text.length - (recordDepth === 1 ? nameLengthMax : 0)) : start
    text = text.slice(discarded)
    scannedTo -= discarded
    if (start !== -1) start = 0
    return records
  }
  return Object.assign(split, { isOpen: () => depth !== 0 || isInString, memberNames })
}

const nameLengthMax = 500

/** The name of the member whose value starts at `at`. */
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
