/** What is said to the database, heard at the driver: for plans, and for what the same costs without the rest of us. */
import pg from 'pg'

export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
}

/** Every statement that `work` sends, as it is sent; those that open, name and close its transaction too. */
export async function statementsOf(work: () => Promise<unknown>): Promise<Statement[]> {
  const seen: Statement[] = []
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function note(this: pg.Client, ...given: unknown[]) {
    seen.push(...statement(given))
    return Reflect.apply(query, this, given)
  } as typeof query
  try {
    await work()
  } finally {
    pg.Client.prototype.query = query
  }
  return seen
}

/** A query is given as a text and its values, or as an object that holds both. */
function statement([first, second]: readonly unknown[]): Statement[] {
  if (typeof first === 'string') return [{ text: first, values: Array.isArray(second) ? second : [] }]
  if (typeof first !== 'object' || first === null || !('text' in first) || typeof first.text !== 'string') return []
  const values = 'values' in first && Array.isArray(first.values) ? first.values : []
  return [{ text: first.text, values }]
}
