/**
 * A clock that can be set, for processes that are started with its environment. It needs libfaketime (in Debian's package
 * `faketime`); the clock of the database and timers are not affected.
 */
import { globSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface Clock {
  readonly environment: Readonly<Record<string, string>>
  /** Sets the clock to the real time plus `seconds`, which may be negative. Takes effect within a second. */
  shift(seconds: number): Promise<void>
}

/** @returns null where libfaketime is not installed */
export async function createClock(folder: string): Promise<Clock | null> {
  const [library] = globSync('/usr/lib/*/faketime/libfaketimeMT.so.1')
  if (library === undefined) return null
  const file = join(folder, 'clock')
  const shift = (seconds: number) => writeFile(file, `${seconds < 0 ? '' : '+'}${seconds}\n`)
  await shift(0)
  // cspell:ignore FAKETIME DONT
  const environment = {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_CACHE_DURATION: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  }
  return { environment, shift }
}
