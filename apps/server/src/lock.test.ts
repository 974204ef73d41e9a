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

/** Another process that holds the folder until it is killed. */
async function holder() {
  const script = `import { lockFolder } from ${JSON.stringify(lockUrl)}
    await lockFolder(${JSON.stringify(folder)}); console.log('held'); setInterval(() => {}, 1000)`
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

it('makes the folder, holds it, and gives it back without a trace', async () => {
  const inner = join(folder, 'a/b')
  const release = await lockFolder(inner)
  expect(await readFile(join(inner, 'glacis.pid'), 'utf8')).toMatch(new RegExp(`^${process.pid} `))
  await release()
  expect(await readdir(inner)).toEqual([])
})

it('names the process that holds it', async () => {
  const other = await holder()
  await expect(lockFolder(folder)).rejects.toThrow(`Glacis is already running in ${folder} (process ${other.pid})`)
  await other.kill()
})

it('takes over from a process that was killed', async () => {
  const other = await holder()
  await other.kill()
  const release = await lockFolder(folder)
  await release()
})

it('is not fooled by another process that got the same number', async () => {
  await writeFile(join(folder, 'glacis.pid'), `${process.ppid} another-boot/1\n`)
  const release = await lockFolder(folder)
  await release()
})

it.each([['file/data'], ['file']])('says what to do about a folder that cannot be: %s', async (path) => {
  await writeFile(join(folder, 'file'), '')
  await expect(lockFolder(join(folder, path))).rejects.toThrow(
    /^Can't write to the data folder .* \(ENOTDIR\)\. Set GLACIS_DATA to another folder\.$/,
  )
})

it.runIf(process.platform === 'linux')('gives up where no folder can be made', async () => {
  await expect(lockFolder('/proc/glacis/data')).rejects.toThrow(
    "Can't write to the data folder /proc/glacis/data (ENOENT)",
  )
})
