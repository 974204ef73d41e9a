/** Direct queries to the database that is being disturbed. */
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'

const retriesMax = 60
const retryMs = 500

/** Runs `work` on its own connection, and again if the connection is lost. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => undefined) // also fails the query
    try {
      await client.connect()
      return await work(client)
    } catch (error) {
      if (attempt >= retriesMax) throw error
      await wait(retryMs)
    } finally {
      await client.end().catch(() => undefined)
    }
  }
}
