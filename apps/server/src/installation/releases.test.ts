import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { newerRelease } from '#installation/releases.ts'

it.each([
  [['glacis-0.2.0.tar.gz', 'glacis-0.10.1.tar.gz', 'glacis-9.9.9.zip'], '0.10.1'],
  [['glacis-0.1.0.tar.gz', 'notes.txt'], undefined],
])('offers the newest release among %s', async (files, expected) => {
  const folder = await mkdtemp(join(tmpdir(), 'glacis-releases-'))
  try {
    for (const file of files) await writeFile(join(folder, file), '')
    expect((await newerRelease(folder, '0.1.0'))?.version).toBe(expected)
  } finally {
    await rm(folder, { recursive: true })
  }
  expect(await newerRelease(folder, '0.1.0')).toBeUndefined()
})
