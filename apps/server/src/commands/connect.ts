/** Connects commands to the database, whether or not the server is running. */
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { lockFolder } from '#lock.ts'
import type { Logger } from '#log.ts'
import { CliError } from '#cli-error.ts'
import { openCluster } from '#database/cluster.ts'
import { socketUrl, startPostgres } from '#database/embedded.ts'

const connectMsMax = 5000

export interface DatabaseConnection extends AsyncDisposable {
  readonly url: string
  /** A running server uses the database, so it must not be migrated. */
  readonly isServerRunning: boolean
}

/**
 * Finds the database: the one in DATABASE_URL, the embedded one of a running server, or the embedded one, started until
 * the result is disposed.
 *
 * @throws CliError if there is no database yet or it is unusable
 */
export async function connectToDatabase(
  { dataFolder, databaseUrl }: { readonly dataFolder: string; readonly databaseUrl: string | undefined },
  log: Logger,
): Promise<DatabaseConnection> {
  if (databaseUrl !== undefined) {
    const problem = await tryConnection(databaseUrl)
    if (problem)
      throw new CliError(
        `Can't connect to the database in DATABASE_URL (${problem}). Check the address and password, and that the server is running.`,
      )
    return { url: databaseUrl, isServerRunning: false, [Symbol.asyncDispose]: async () => undefined }
  }
  await access(join(dataFolder, 'postgres')).catch((cause: unknown) => {
    const message = `${dataFolder} contains no Glacis data. Start Glacis once, or set GLACIS_DATA to its folder.`
    throw new CliError(message, { cause })
  })
  const running = socketUrl(await openCluster(dataFolder))
  if ((await tryConnection(running)) === null) {
    return { url: running, isServerRunning: true, [Symbol.asyncDispose]: async () => undefined }
  }
  return startEmbedded(dataFolder, log)
}

/** Starts the embedded database until the result is disposed, and creates it if needed. */
export async function startEmbedded(dataFolder: string, log: Logger): Promise<DatabaseConnection> {
  const release = await lockFolder(dataFolder)
  const postgres = await startPostgres({ dataFolder, log }).catch(async (error: unknown) => {
    await release()
    throw error
  })
  return {
    url: postgres.url,
    isServerRunning: false,
    async [Symbol.asyncDispose]() {
      await postgres.stop()
      await release()
    },
  }
}

/** Returns why a connection fails, or null. */
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
