/** Records the statements sent to the database, for checking plans and counting statements. */
import pg from 'pg'

export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
}

/** Every statement that `work` sends, including those that start and end its transaction. */
export async function statementsOf(work: () => Promise<unknown>): Promise<Statement[]> {
  const statements: Statement[] = []
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function record(this: pg.Client, ...given: unknown[]) {
    statements.push(...statement(given))
    return Reflect.apply(query, this, given)
  } as typeof query
  try {
    await work()
  } finally {
    pg.Client.prototype.query = query
  }
  return statements
}

/** `query` accepts a text with values, or an object with both. */
function statement([first, second]: readonly unknown[]): Statement[] {
  if (typeof first === 'string') return [{ text: first, values: Array.isArray(second) ? second : [] }]
  if (typeof first !== 'object' || first === null || !('text' in first) || typeof first.text !== 'string') return []
  const values = 'values' in first && Array.isArray(first.values) ? first.values : []
  return [{ text: first.text, values }]
}
