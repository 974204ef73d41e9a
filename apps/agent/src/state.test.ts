import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { storeKey, type StoredKey, readStoredKey } from './state.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'glacis-agent-'))
})
afterEach(() => rm(folder, { recursive: true }))

const server = 'https://glacis.example'
const keyOf = (agentId: string, key: string): StoredKey => ({ server, agentId, key, tokenDigest: `digest of ${key}` })

it('keeps only the latest key of an agent, for its server', async () => {
  expect(await storeKey(folder, keyOf('one', 'a'))).toBe(null)
  expect(await storeKey(folder, keyOf('one', 'b'))).toBe(null)
  expect(await readStoredKey(folder, server)).toEqual(keyOf('one', 'b'))
  expect(await readStoredKey(folder, 'https://elsewhere.example')).toBeUndefined()
  expect(await readdir(folder)).toEqual(['agent.json'])
})

it('keeps the key of another agent in the same folder', async () => {
  await storeKey(folder, keyOf('one', 'a'))
  const movedTo = await storeKey(folder, keyOf('two', 'b'))
  expect(movedTo).toBe(join(folder, 'agent-one.json'))
  expect(JSON.parse(await readFile(movedTo ?? '', 'utf8'))).toEqual(keyOf('one', 'a'))
  expect(await readStoredKey(folder, server)).toEqual(keyOf('two', 'b'))
})
