/** Checks that need no database: Node.js, settings, disk, ports, and email. */
import { access, constants, stat, statfs } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname } from 'node:path'
import { once } from 'node:events'
import { storedBackups } from '#backups/index.ts'
import { type Config, readConfig } from '#config.ts'
import { CliError } from '#cli-error.ts'
import { isInUse } from '#lock.ts'
import { error, ok, type Result, warning } from './result.ts'

const nodeMajorMin = 26
const gigabyte = 1e9
/** PostgreSQL stops accepting writes when the disk is full; feeds need about two gigabytes. */
const freeBytes = { warning: 5 * gigabyte, error: gigabyte } as const
const timeoutMs = 5000

export function checkNode(version = process.versions.node): Result {
  if (Number.parseInt(version, 10) >= nodeMajorMin) return ok('node', `Node.js ${version}`)
  return error('node', `Node.js ${version} is too old. Start Glacis with "npm start", which uses its own Node.js.`)
}

export function checkSettings(environment: Readonly<Record<string, string | undefined>>, root: string): Result {
  try {
    const { url, hosts, roles } = readConfig(environment, root)
    const isExposed = hosts.some((host) => !/^(localhost|127\.|::1$)/.test(host))
    if (isExposed && url.startsWith('http:'))
      return warning('settings', `${url} isn't encrypted. Put a reverse proxy with TLS in front and set GLACIS_URL.`)
    return ok('settings', `${url}, roles ${roles.join(', ')}`)
  } catch (cause) {
    if (!(cause instanceof CliError)) throw cause
    return error('settings', cause.message)
  }
}

export async function checkDisk(folder: string): Promise<Result[]> {
  const existing = await existingFolder(folder)
  if (!(await isWritable(existing)))
    return [error('disk', `${existing} isn't writable by this user. Change its owner, or set GLACIS_DATA.`)]
  const free = await freeBytesIn(existing)
  const created = existing === folder ? '' : `; the first start creates ${folder}`
  const text = `${inGigabytes(free)} free in ${existing}${created}`
  if (free < freeBytes.error) return [error('disk', `${text}. Free some space before the database stops.`)]
  if (free < freeBytes.warning) return [warning('disk', `${text}. Feeds and history need at least 5 GB.`)]
  return [ok('disk', text)]
}

/** The folder, or the nearest one above it that exists. */
async function existingFolder(folder: string): Promise<string> {
  const stats = await stat(folder).catch(() => undefined)
  return stats ? folder : existingFolder(dirname(folder))
}

async function freeBytesIn(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

function inGigabytes(bytes: number): string {
  return `${(bytes / gigabyte).toFixed(1)} GB`
}

async function isWritable(folder: string): Promise<boolean> {
  return access(folder, constants.W_OK).then(
    () => true,
    () => false,
  )
}

export async function checkPorts({
  hosts,
  port,
  metrics,
  dataFolder,
}: Pick<Config, 'hosts' | 'port' | 'metrics' | 'dataFolder'>): Promise<Result[]> {
  const isRunning = await isInUse(dataFolder)
  const running = isRunning ? `Glacis is running on another port with ${dataFolder}` : "Glacis isn't running"
  const results = await Promise.all(hosts.map((host) => checkPort(host, port, running)))
  return metrics === null ? results : [...results, await checkMetricsPort(metrics)]
}

async function checkMetricsPort({ host, port }: NonNullable<Config['metrics']>): Promise<Result> {
  const at = addressOf(host, port)
  if (await canListen(host, port)) return ok('port', `${at} is free for metrics`)
  const response = await fetch(`http://${reachable(at)}/metrics`, { signal: AbortSignal.timeout(timeoutMs) }).catch(
    () => null,
  )
  const text = (await response?.text().catch(() => '')) ?? ''
  if (text.includes('glacis_')) return ok('port', `Metrics are served at ${at}`)
  return error('port', `${at} is used by another program. Stop it, or set GLACIS_METRICS.`)
}

function addressOf(host: string, port: number): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** Replaces an address that means all interfaces with the loopback address. */
function reachable(address: string): string {
  return address.replace('0.0.0.0', '127.0.0.1').replace('[::]', '[::1]')
}

async function checkPort(host: string, port: number, running: string): Promise<Result> {
  const at = addressOf(host, port)
  if (await canListen(host, port)) return ok('port', `${at} is free; ${running}`)
  const url = `http://${reachable(at)}/health/ready`
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) })
    if (response.ok) return ok('port', `Glacis is running at ${at}`)
    return error('port', `Glacis at ${at} isn't ready (status ${response.status}). See its log.`)
  } catch {
    return error('port', `${at} is used by another program. Stop it, or set GLACIS_PORT.`)
  }
}

async function canListen(host: string, port: number): Promise<boolean> {
  const probe = createServer()
  probe.listen({ host, port })
  const isFree = await once(probe, 'listening').then(
    () => true,
    () => false,
  )
  probe.close()
  return isFree
}

export async function checkBackups({ backup }: Pick<Config, 'backup'>): Promise<Result> {
  if (backup === null)
    return warning('backup', 'Backups are not scheduled. Set GLACIS_BACKUP to a folder on another disk.')
  const { folder, periodMs } = backup
  const existing = await existingFolder(folder)
  if (!(await isWritable(existing)))
    return error('backup', `${existing} isn't writable by this user. Change its owner, or set GLACIS_BACKUP.`)
  const free = await freeBytesIn(existing)
  if (free < freeBytes.error)
    return error('backup', `${inGigabytes(free)} free in ${existing}. Free some space, or lower GLACIS_BACKUP_KEEP.`)
  const [newest] = await storedBackups(folder)
  if (!newest) return warning('backup', `${folder} contains no backup yet. A worker writes the first one.`)
  const text = `the newest backup in ${folder} is from ${newest.time.toISOString().slice(0, 16).replace('T', ' ')} UTC`
  if (Date.now() - newest.time.getTime() > 2 * periodMs)
    return error('backup', `${text}, which is overdue. Look for "backup failed" in the log.`)
  return ok('backup', text)
}

export async function checkMail({ smtpUrl, dataFolder }: Pick<Config, 'smtpUrl' | 'dataFolder'>): Promise<Result> {
  if (smtpUrl === undefined)
    return warning('email', `Emails are written to ${dataFolder}/outbox. Set GLACIS_SMTP_URL to send them.`)
  const { hostname } = new URL(smtpUrl)
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({ url: smtpUrl, connectionTimeout: timeoutMs, greetingTimeout: timeoutMs })
  try {
    await transport.verify()
    return ok('email', `${hostname} accepts the connection and credentials`)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    return error('email', `${hostname}: ${reason}. Check GLACIS_SMTP_URL.`)
  } finally {
    transport.close()
  }
}
