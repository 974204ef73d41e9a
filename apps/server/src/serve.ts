/** `glacis serve`: starts all components in order and stops them in reverse order. */
import { createServer } from 'node:net'
import pg from 'pg'
import { type Config, readConfig } from './config.ts'
import { startPostgres } from './database/embedded.ts'
import { lockFolder } from './lock.ts'
import { createLogger, type Logger } from './log.ts'
import { createMailer } from './mail.ts'
import { CliError } from './cli-error.ts'
import { errorCode } from '#error-code.ts'

/** Shutdown deadline of everything but the database, which needs the rest of the five seconds. */
const closeMsMax = 3000
const connectMsMax = 10_000
/** For the last traces, if their receiver is slow or down. */
const flushMsMax = 1000
/** Signals within this time count as one: the terminal, npm, and the launcher each deliver the same Ctrl-C. */
const sameSignalMs = 1000

/**
 * Starts the server and resolves after a graceful shutdown, triggered by SIGINT, SIGTERM, SIGHUP, or the exit of the
 * launching process. A second signal exits immediately.
 *
 * @throws CliError if it can't start, or if the embedded database fails permanently
 */
export async function serve({ environment, root }: { environment: NodeJS.ProcessEnv; root: string }): Promise<void> {
  const config = readConfig(environment, root)
  const log = createLogger({ level: config.logLevel })
  const { isStopping, stopped } = listenForStop()

  await using running = new AsyncDisposableStack()
  if (config.isTraced) {
    const { startTracing } = await import('./tracing.ts')
    const stopTracing = await startTracing(log)
    running.defer(() => withTimeout(flushMsMax, stopTracing(), log))
  }
  running.defer(await lockFolder(config.dataFolder))
  for (const host of config.hosts) await tryPort(host, config.port)
  // The modules load while the database starts.
  const [{ compose }, database] = await Promise.all([import('./compose.ts'), openDatabase(config, log, running)])
  if (isStopping()) return
  const mailer = createMailer(config, log)
  const composition = await compose({ config, databaseUrl: database.url, log, mailer, root })
  // Load balancers notice, then requests finish.
  running.defer(() => withTimeout(closeMsMax + 2 * config.drainMs, composition.close(), log))
  if (isStopping()) return
  await composition.listen().catch((error: unknown) => {
    throw explainListen(error, config.hosts.join(', '), config.port)
  })
  process.stdout.write(`Glacis is ready at ${config.url}\n`)

  const failure = await Promise.race([stopped, database.failed])
  if (failure) throw failure
}

async function openDatabase(config: Config, log: Logger, running: AsyncDisposableStack) {
  if (config.databaseUrl !== undefined) {
    await tryDatabase(config.databaseUrl)
    return { url: config.databaseUrl, failed: new Promise<never>(() => undefined) }
  }
  const postgres = await startPostgres({ dataFolder: config.dataFolder, log })
  running.defer(() => postgres.stop())
  return postgres
}

async function tryDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectMsMax })
  try {
    await client.connect()
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message || String(Reflect.get(cause, 'code')) : String(cause)
    throw new CliError(
      `Can't connect to the database in DATABASE_URL (${reason}). Check the URL and that the server is running.`,
      {
        cause,
      },
    )
  }
  await client.end()
}

function listenForStop() {
  const { promise: stopped, resolve } = Promise.withResolvers<undefined>()
  let firstAt: number | undefined
  const stop = () => {
    if (firstAt === undefined) {
      firstAt = Date.now()
      resolve(undefined)
    } else if (Date.now() - firstAt > sameSignalMs) process.exit(1)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
  process.once('disconnect', stop)
  return { stopped, isStopping: () => firstAt !== undefined }
}

async function withTimeout(ms: number, closing: Promise<void>, log: Logger): Promise<void> {
  const timeout = Promise.withResolvers<void>()
  const timer = setTimeout(() => {
    log.warn('shutdown timed out; unfinished work resumes at next start')
    timeout.resolve()
  }, ms)
  await Promise.race([closing, timeout.promise]).finally(() => clearTimeout(timer))
}

/** Checks that the port is free before the slow part of the start. */
async function tryPort(host: string, port: number): Promise<void> {
  const probe = createServer()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  probe.once('error', (error) => reject(explainListen(error, host, port)))
  probe.listen({ host, port }, () => probe.close(() => resolve()))
  await promise
}

function explainListen(error: unknown, host: string, port: number): unknown {
  const reasons: Record<string, string> = {
    EADDRINUSE: `Port ${port} is in use. Stop the other program or choose another port: GLACIS_PORT=${port === 65_535 ? 3000 : port + 1} npm start`,
    EACCES: `Port ${port} requires root privileges. Set GLACIS_PORT to a port above 1023.`,
    EADDRNOTAVAIL: `${host} is not an address of this machine. Check GLACIS_HOST.`,
    ENOTFOUND: `The hostname ${host} can't be resolved. Check GLACIS_HOST.`,
  }
  const sentence = reasons[errorCode(error)]
  return sentence ? new CliError(sentence, { cause: error }) : error
}
