/** The connection that a backup is read or restored over. */
import pg from 'pg'

/**
 * Connects. If the connection is lost, the current or next statement fails; without a listener for the error, the
 * process would crash.
 */
export async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  return client
}
