/** The database for a command that is not the server: whether or not the server runs. */
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { lockFolder } from '#lock.ts'
import type { Logger } from '#log.ts'
import { Obstacle } from '#obstacle.ts'
import { openCluster } from '#database/cluster.ts'
import { socketUrl, startPostgres } from '#database/embedded.ts'

const connectMsMax = 5000

export interface Reached extends AsyncDisposable {
  readonly url: string
  /** A server works on it now: its tables are as that server wants them. */
  readonly isServed: boolean
}

/**
 * Finds the database: the one that is named, the embedded one of a server that runs, or the embedded
 * one of a server that does not, which is started until this is disposed of.
 *
 * @throws Obstacle when there is none yet, or it cannot be used
 */
export async function reachDatabase(
  { dataFolder, databaseUrl }: { readonly dataFolder: string; readonly databaseUrl: string | undefined },
  log: Logger,
): Promise<Reached> {
  if (databaseUrl !== undefined) {
    const fault = await tryConnection(databaseUrl)
    if (fault) throw new Obstacle(`The database of DATABASE_URL cannot be used (${fault}).`)
    return { url: databaseUrl, isServed: false, [Symbol.asyncDispose]: async () => undefined }
  }
  await access(join(dataFolder, 'postgres')).catch((cause: unknown) => {
    const words = `There is nothing in ${dataFolder} yet; start Glacis once, or name its folder in GLACIS_DATA.`
    throw new Obstacle(words, { cause })
  })
  const running = socketUrl(await openCluster(dataFolder))
  if ((await tryConnection(running)) === null) {
    return { url: running, isServed: true, [Symbol.asyncDispose]: async () => undefined }
  }
  const release = await lockFolder(dataFolder)
  const postgres = await startPostgres({ dataFolder, log }).catch(async (error: unknown) => {
    await release()
    throw error
  })
  return {
    url: postgres.url,
    isServed: false,
    async [Symbol.asyncDispose]() {
      await postgres.stop()
      await release()
    },
  }
}

/** What stands against a connection; null for nothing. */
async function tryConnection(connectionString: string): Promise<string | null> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: connectMsMax })
  try {
    await client.connect()
    return null
  } catch (cause) {
    return cause instanceof Error ? cause.message || String(Reflect.get(cause, 'code')) : String(cause)
  } finally {
    await client.end().catch(() => undefined)
  }
}
