/** Splits evidence into highlighted matches and the text around them. */

export interface Segment {
  readonly text: string
  readonly isHighlighted: boolean
  /** Offset in the whole text. */
  readonly at: number
}

/** Finds every occurrence of the highlights. Where they overlap, the longest wins. */
export function splitHighlights(text: string, highlights: readonly string[]): Segment[] {
  const wanted = highlights.filter((highlight) => highlight !== '').sort((a, b) => b.length - a.length)
  const pieces: Segment[] = []
  let plainFrom = 0
  let at = 0
  while (at < text.length) {
    const highlight = wanted.find((candidate) => text.startsWith(candidate, at))
    if (!highlight) {
      at += 1
      continue
    }
    if (at > plainFrom) pieces.push({ text: text.slice(plainFrom, at), isHighlighted: false, at: plainFrom })
    pieces.push({ text: highlight, isHighlighted: true, at })
    at += highlight.length
    plainFrom = at
  }
  if (plainFrom < text.length) pieces.push({ text: text.slice(plainFrom), isHighlighted: false, at: plainFrom })
  return pieces
}
