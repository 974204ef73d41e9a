import { commonPorts } from '#common-ports.ts'

/** A user-supplied list of ports. */
export interface PortList {
  /** Canonical form: equal lists have equal text; empty for the common ports. */
  readonly text: string
  /** Ascending; the common 1,000 if the list is empty. */
  readonly ports: readonly number[]
}

/** Parses `22, 80, 8000-8100`; empty means the common ports. */
export function parsePorts(input: string): PortList | { readonly problem: string } {
  const parts = input.split(/[\s,;]+/).filter(Boolean)
  if (parts.length === 0) return { text: '', ports: commonPorts }
  const ports = new Set<number>()
  for (const part of parts) {
    const [, from = '', to = from] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(part) ?? []
    const [first, last] = [Number(from), Number(to)]
    if (from === '') return { problem: `'${part}' is neither a port nor a range of ports such as 8000-8100.` }
    if (first < 1 || last > 65_535) return { problem: `'${part}' contains a port outside 1 to 65,535.` }
    if (last < first) return { problem: `The range '${part}' ends before it begins.` }
    for (let port = first; port <= last; port++) ports.add(port)
  }
  const ascending = [...ports].toSorted((a, b) => a - b)
  return { text: format(ascending), ports: ascending }
}

/** Merges adjacent ports into ranges. */
function format(ascending: readonly number[]): string {
  const runs: [number, number][] = []
  for (const port of ascending) {
    const run = runs.at(-1)
    if (run && run[1] === port - 1) run[1] = port
    else runs.push([port, port])
  }
  return runs.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(',')
}
