import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { lockFolder } from './lock.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'glacis-lock-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const lockUrl = new URL('./lock.ts', import.meta.url).href

/** A process that locks the folder until it is killed. */
async function lockInProcess() {
  const script = `import { lockFolder } from ${JSON.stringify(lockUrl)}
    await lockFolder(${JSON.stringify(folder)}); console.log('locked'); setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  return {
    pid: child.pid,
    async kill() {
      const exit = once(child, 'exit')
      child.kill('SIGKILL')
      await exit
    },
  }
}

it('creates and locks the folder, and removes the lock on release', async () => {
  const inner = join(folder, 'a/b')
  const release = await lockFolder(inner)
  expect(await readFile(join(inner, 'glacis.pid'), 'utf8')).toMatch(new RegExp(`^${process.pid} `))
  await release()
  expect(await readdir(inner)).toEqual([])
})

it('names the process that has locked the folder', async () => {
  const lockHolder = await lockInProcess()
  await expect(lockFolder(folder)).rejects.toThrow(`Glacis is already running in ${folder} (process ${lockHolder.pid})`)
  await lockHolder.kill()
})

it('takes over the lock of a killed process', async () => {
  const lockHolder = await lockInProcess()
  await lockHolder.kill()
  const release = await lockFolder(folder)
  await release()
})

it('takes over a stale lock whose process ID was reused', async () => {
  await writeFile(join(folder, 'glacis.pid'), `${process.ppid} another-boot/1\n`)
  const release = await lockFolder(folder)
  await release()
})

it.each([['file/data'], ['file']])('explains how to fix an unusable folder: %s', async (path) => {
  await writeFile(join(folder, 'file'), '')
  await expect(lockFolder(join(folder, path))).rejects.toThrow(
    /^Can't write to the data folder .* \(not a directory\)\. Set GLACIS_DATA to another folder\.$/,
  )
})

it.runIf(process.platform === 'linux')("fails where folders can't be created", async () => {
  await expect(lockFolder('/proc/glacis/data')).rejects.toThrow(
    "Can't write to the data folder /proc/glacis/data (no such file or directory)",
  )
})
