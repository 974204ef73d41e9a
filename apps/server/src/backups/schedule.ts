/** Scheduled backups: a folder with the newest ones. */
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type BackupSource, writeBackup } from '#backups/archive.ts'
import { partialSuffix } from '#backups/new-file.ts'
import type { Log } from '#ctx.ts'

export interface BackupSchedule {
  readonly folder: string
  readonly periodMs: number
  /** Older ones are deleted. */
  readonly keep: number
  /** Public keys of age. */
  readonly recipients: readonly string[]
}

export interface ScheduledBackups {
  isDue(): Promise<boolean>
  /**
   * Writes a backup, unless another process has, and deletes those beyond the number to keep.
   *
   * @param signal stops it without leaving a file
   */
  run(signal: AbortSignal): Promise<void>
}

export interface StoredBackup {
  readonly file: string
  readonly time: Date
}

const namePattern = /^glacis-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z\.backup(?:\.age)?$/
/** Left by a process that was killed. */
const partialPattern = new RegExp(`^glacis-\\d{4}-\\d\\d-\\d\\dT[\\d-]+Z\\.backup.*\\${partialSuffix}$`)
/** After a failure, such as a full disk. */
const retryMs = 15 * 60_000

/** The backups in a folder, newest first. */
export async function storedBackups(folder: string): Promise<StoredBackup[]> {
  const names = await readdir(folder).catch(() => [])
  return names
    .flatMap((name) => {
      const [, day, hour, minute, second] = namePattern.exec(name) ?? []
      return day ? [{ file: join(folder, name), time: new Date(`${day}T${hour}:${minute}:${second}Z`) }] : []
    })
    .sort((a, b) => b.time.getTime() - a.time.getTime())
}

/** Omits backups dated in the future, made while the clock was ahead. They must not replace newer ones. */
async function pastBackups(folder: string): Promise<StoredBackup[]> {
  return (await storedBackups(folder)).filter(({ time }) => time.getTime() <= Date.now())
}

export function scheduleBackups(
  { folder, periodMs, keep, recipients }: BackupSchedule,
  source: Pick<BackupSource, 'databaseUrl' | 'packs'>,
  log: Log,
): ScheduledBackups {
  let failedAt = -Infinity
  async function isDue(): Promise<boolean> {
    if (performance.now() - failedAt < retryMs) return false
    const [newest] = await pastBackups(folder)
    return !newest || Date.now() - newest.time.getTime() >= periodMs
  }
  return {
    isDue,
    async run(signal) {
      if (!(await isDue())) return
      const time = new Date().toISOString().slice(0, 19).replaceAll(':', '-')
      const file = join(folder, `glacis-${time}Z.backup${recipients.length > 0 ? '.age' : ''}`)
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 })
        const partial = (await readdir(folder)).filter((name) => partialPattern.test(name))
        for (const name of partial) await rm(join(folder, name))
        const bytes = await writeBackup(file, { ...source, recipients, signal })
        log.info({ file, bytes }, 'backup written')
        for (const { file: old } of (await pastBackups(folder)).slice(keep)) await rm(old)
      } catch (error) {
        if (signal.aborted) return
        failedAt = performance.now()
        log.error({ err: error, folder }, 'backup failed')
      }
    },
  }
}
