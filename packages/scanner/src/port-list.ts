import { commonPorts } from '#common-ports.ts'

/** Ports as a person lists them. */
export interface PortList {
  /** The one spelling under which equal lists are equal; empty for the common ports. */
  readonly text: string
  /** Rising; the common 1,000 where nothing was listed. */
  readonly ports: readonly number[]
}

/** Understands `22, 80, 8000-8100`; nothing means the common ports. */
export function parsePorts(input: string): PortList | { readonly problem: string } {
  const parts = input.split(/[\s,;]+/).filter(Boolean)
  if (parts.length === 0) return { text: '', ports: commonPorts }
  const ports = new Set<number>()
  for (const part of parts) {
    const [, from = '', to = from] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(part) ?? []
    const [first, last] = [Number(from), Number(to)]
    if (from === '') return { problem: `'${part}' is neither a port nor a range of ports such as 8000-8100.` }
    if (first < 1 || last > 65_535) return { problem: `'${part}' holds a port outside 1 to 65,535.` }
    if (last < first) return { problem: `The range '${part}' ends before it begins.` }
    for (let port = first; port <= last; port++) ports.add(port)
  }
  const rising = [...ports].toSorted((a, b) => a - b)
  return { text: spelled(rising), ports: rising }
}

/** Neighbours become ranges. */
function spelled(rising: readonly number[]): string {
  const runs: [number, number][] = []
  for (const port of rising) {
    const run = runs.at(-1)
    if (run && run[1] === port - 1) run[1] = port
    else runs.push([port, port])
  }
  return runs.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(',')
}
