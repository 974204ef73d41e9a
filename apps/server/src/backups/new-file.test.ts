import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { CliError } from '#cli-error.ts'
import { writeNewFile } from '#backups/new-file.ts'

let folder: string
let file: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'glacis-new-file-'))
  file = join(folder, 'x')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

it('writes a file that only its owner can read, even from a stream', async () => {
  await writeNewFile(file, (handle) => pipeline(['a', 'b'], handle.createWriteStream()))
  expect([await readFile(file, 'utf8'), (await stat(file)).mode & 0o777]).toEqual(['ab', 0o600])
})

it("doesn't overwrite an existing file", async () => {
  await writeFile(file, 'before')
  const message = new CliError(`${file} already exists. Choose another name.`)
  await expect(writeNewFile(file, async () => undefined)).rejects.toThrow(message)
  await rm(file)
  const writing = writeNewFile(file, async (handle) => {
    await handle.write('mine')
    await writeFile(file, 'before')
  })
  await expect(writing).rejects.toThrow(message)
  expect([await readFile(file, 'utf8'), await readdir(folder)]).toEqual(['before', ['x']])
})

it('gives an incomplete file another name', async () => {
  await writeNewFile(file, async (handle) => {
    await handle.write('half')
    expect(await readdir(folder)).toEqual([expect.stringMatching(/^x\.[0-9a-f]{8}\.partial$/)])
  })
  expect(await readdir(folder)).toEqual(['x'])
})

it('SEC-G2 reports a full disk and removes the partial file', async () => {
  const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  const writing = writeNewFile(file, async (handle) => {
    await handle.write('half')
    throw full
  })
  await expect(writing).rejects.toThrow(new CliError(`Can't write ${file} (no space left on device).`))
  expect(await readdir(folder)).toEqual([])
})

it('rethrows other errors unchanged', async () => {
  const bug = new Error('a bug')
  await expect(writeNewFile(file, () => Promise.reject(bug))).rejects.toBe(bug)
  expect(await readdir(folder)).toEqual([])
})
