/** Parsing of CVSS vectors: `AV:N/AC:L/…`. */

/**
 * Parses the metrics of a vector.
 *
 * @returns null if a metric is malformed or duplicated
 */
export function parseMetrics(text: string): ReadonlyMap<string, string> | null {
  const metrics = new Map<string, string>()
  for (const part of text.split('/')) {
    const [, name, value] = /^([A-Za-z]+):([A-Za-z]+)$/.exec(part) ?? []
    if (name === undefined || value === undefined || metrics.has(name)) return null
    metrics.set(name, value)
  }
  return metrics
}

/** Weights by metric and value. */
export type Weights = Readonly<Record<string, Readonly<Record<string, number>>>>

/**
 * Looks up the weight of every metric of the table.
 *
 * @returns null if a metric is missing or has an unknown value
 */
export function lookUpWeights<Table extends Weights>(
  metrics: ReadonlyMap<string, string>,
  table: Table,
): Record<keyof Table, number> | null {
  const weights = Object.entries(table).map(([name, values]) => [name, values[metrics.get(name) ?? '']] as const)
  if (weights.some(([, weight]) => weight === undefined)) return null
  // The line above guarantees a number for every key.
  return Object.fromEntries(weights) as Record<keyof Table, number>
}
