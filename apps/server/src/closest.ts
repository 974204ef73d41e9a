/** The item that takes the fewest edits to get from `text`, and their number. Undefined without items. */
export function closestOf(items: Iterable<string>, text: string): { text: string; edits: number } | undefined {
  const candidates = [...items].map((item) => ({ text: item, edits: editDistance(text, item) }))
  return candidates.toSorted((a, b) => a.edits - b.edits)[0]
}

/** Levenshtein distance. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (const [line, letter] of a.split('').entries()) {
    const next = [line + 1]
    for (const [column, other] of b.split('').entries()) {
      const replaced = (row[column] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
