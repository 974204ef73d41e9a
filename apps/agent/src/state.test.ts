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
const of = (agentId: string, key: string): StoredKey => ({ server, agentId, key, tokenDigest: `digest of ${key}` })

it('keeps the newest key of an agent, for its server alone', async () => {
  expect(await storeKey(folder, of('one', 'a'))).toBe(null)
  expect(await storeKey(folder, of('one', 'b'))).toBe(null)
  expect(await readStoredKey(folder, server)).toEqual(of('one', 'b'))
  expect(await readStoredKey(folder, 'https://elsewhere.example')).toBeUndefined()
  expect(await readdir(folder)).toEqual(['agent.json'])
})

it('loses no key when another agent moves into the folder', async () => {
  await storeKey(folder, of('one', 'a'))
  const aside = await storeKey(folder, of('two', 'b'))
  expect(aside).toBe(join(folder, 'agent-one.json'))
  expect(JSON.parse(await readFile(aside ?? '', 'utf8'))).toEqual(of('one', 'a'))
  expect(await readStoredKey(folder, server)).toEqual(of('two', 'b'))
})
