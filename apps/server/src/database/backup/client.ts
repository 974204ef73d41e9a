/** The one connection over which a backup is read or loaded. */
import pg from 'pg'

/**
 * Connects. A database that ends in the middle fails the statement that is under way or the next one, and never
 * the process.
 */
export async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  return client
}
