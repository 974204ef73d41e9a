/** Reading of CVSS vectors: `AV:N/AC:L/…`. */

/**
 * Splits the metrics of a vector.
 *
 * @returns null when a metric is malformed or stands twice
 */
export function readMetrics(text: string): ReadonlyMap<string, string> | null {
  const metrics = new Map<string, string>()
  for (const part of text.split('/')) {
    const [, name, value] = /^([A-Za-z]+):([A-Za-z]+)$/.exec(part) ?? []
    if (name === undefined || value === undefined || metrics.has(name)) return null
    metrics.set(name, value)
  }
  return metrics
}

/** Weights of a metric's values. */
export type Weights = Readonly<Record<string, Readonly<Record<string, number>>>>

/**
 * Looks up the weight of every metric of the table.
 *
 * @returns null when one is missing or has a value that the table does not know
 */
export function weigh<Table extends Weights>(
  metrics: ReadonlyMap<string, string>,
  table: Table,
): Record<keyof Table, number> | null {
  const weights = Object.entries(table).map(([name, values]) => [name, values[metrics.get(name) ?? '']] as const)
  if (weights.some(([, weight]) => weight === undefined)) return null
  // Every key of the table has a number: the line above has proved it.
  return Object.fromEntries(weights) as Record<keyof Table, number>
}
