import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { CliError } from '#cli-error.ts'
import { writeNewFile } from './new-file.ts'

let folder: string
let file: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'glacis-new-file-'))
  file = join(folder, 'x')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

it('is written for its owner alone, by a stream too', async () => {
  await writeNewFile(file, (handle) => pipeline(['a', 'b'], handle.createWriteStream()))
  expect([await readFile(file, 'utf8'), (await stat(file)).mode & 0o777]).toEqual(['ab', 0o600])
})

it('never takes the place of another', async () => {
  await writeFile(file, 'before')
  await expect(writeNewFile(file, async () => undefined)).rejects.toThrow(CliError)
  expect(await readFile(file, 'utf8')).toBe('before')
})

it('says in a sentence that the disk is full, and leaves no half of it', async () => {
  const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  const writing = writeNewFile(file, async (handle) => {
    await handle.write('half')
    throw full
  })
  await expect(writing).rejects.toThrow(new CliError(`Can't write ${file} (no space left on device).`))
  expect(await readdir(folder)).toEqual([])
})

it('leaves what else went wrong as it is', async () => {
  const bug = new Error('a bug')
  await expect(writeNewFile(file, () => Promise.reject(bug))).rejects.toBe(bug)
  expect(await readdir(folder)).toEqual([])
})
