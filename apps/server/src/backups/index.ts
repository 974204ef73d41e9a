/** Backups of the whole installation: written on request or on a schedule, restored, and verified. */
export { writeBackup } from '#backups/archive.ts'
export { writeNewFile } from '#backups/new-file.ts'
export { restoreBackup } from '#backups/restore.ts'
export { type BackupSchedule, type ScheduledBackups, scheduleBackups, storedBackups } from '#backups/schedule.ts'
export { verifyBackup } from '#backups/verify.ts'
