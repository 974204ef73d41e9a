/** Cuts a text into what proves and what surrounds it. */

export interface Piece {
  readonly text: string
  readonly isProof: boolean
  /** Where it begins in the whole text. */
  readonly at: number
}

/** Every occurrence of the highlights, the longest first where they overlap; the rest in between. */
export function piecesOf(text: string, highlights: readonly string[]): Piece[] {
  const wanted = highlights.filter((one) => one !== '').sort((a, b) => b.length - a.length)
  const pieces: Piece[] = []
  let plainFrom = 0
  let at = 0
  while (at < text.length) {
    const found = wanted.find((one) => text.startsWith(one, at))
    if (!found) {
      at += 1
      continue
    }
    if (at > plainFrom) pieces.push({ text: text.slice(plainFrom, at), isProof: false, at: plainFrom })
    pieces.push({ text: found, isProof: true, at })
    at += found.length
    plainFrom = at
  }
  if (plainFrom < text.length) pieces.push({ text: text.slice(plainFrom), isProof: false, at: plainFrom })
  return pieces
}
