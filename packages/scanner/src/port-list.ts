import { commonPorts } from '#common-ports.ts'

/** A user-supplied list of ports. */
export interface PortList {
  /** Canonical form: equal lists have equal text; empty for the common ports. */
  readonly text: string
  /** Ascending; the common 1,100 if the list is empty. */
  readonly ports: readonly number[]
}

/** Parses `22, 80, 8000-8100`; empty means the common ports. */
export function parsePorts(input: string): PortList | { readonly problem: string } {
  const parts = input.split(/[\s,;]+/).filter(Boolean)
  if (parts.length === 0) return { text: '', ports: commonPorts }
  const ranges: Range[] = []
  for (const part of parts) {
    const [, from = '', to = from] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(part) ?? []
    const [first, last] = [Number(from), Number(to)]
    if (from === '') return { problem: `'${part}' is neither a port nor a range of ports such as 8000-8100.` }
    if (first < 1 || last > 65_535) return { problem: `'${part}' contains a port outside 1 to 65,535.` }
    if (last < first) return { problem: `The range '${part}' ends before it begins.` }
    ranges.push({ first, last })
  }
  const merged = mergeRanges(ranges)
  return {
    text: merged.map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`)).join(','),
    ports: portsIn(merged),
  }
}

interface Range {
  readonly first: number
  readonly last: number
}

function portsIn(ranges: readonly Range[]): number[] {
  const ports: number[] = []
  for (const { first, last } of ranges) for (let port = first; port <= last; port++) ports.push(port)
  return ports
}

/** Ascending ranges without overlaps; adjacent ranges become one. */
function mergeRanges(ranges: readonly Range[]): Range[] {
  const merged: Range[] = []
  for (const range of ranges.toSorted((a, b) => a.first - b.first)) {
    const before = merged.at(-1)
    if (before && range.first <= before.last + 1)
      merged[merged.length - 1] = { first: before.first, last: Math.max(before.last, range.last) }
    else merged.push(range)
  }
  return merged
}
