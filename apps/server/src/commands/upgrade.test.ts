import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openDatabase } from '#database/index.ts'
import { migrations } from '#database/migrations.ts'
import { type TestDatabase, testDatabase } from '#testing/database.ts'
import { sql } from 'kysely'
import { upgrade } from './upgrade.ts'

const log = { info() {}, warn() {}, error() {} }

describe('upgrade', () => {
  let test: TestDatabase
  beforeAll(async () => {
    test = await testDatabase()
  })
  afterAll(() => test.drop())

  async function run(action: string): Promise<{ code: number; text: string }> {
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
    try {
      const code = await upgrade([action], { environment: { DATABASE_URL: test.url }, root: '/' })
      return { code, text: write.mock.calls.map(([text]) => String(text)).join('') }
    } finally {
      write.mockRestore()
    }
  }

  it('lists the migrations of an empty database without running them, then runs them once', async () => {
    const all = Object.keys(migrations).toSorted().join(', ')
    for (const text of [`The next start migrates the database: ${all}. Back up first.\n`, expect.any(String)])
      expect(await run('--check')).toEqual({ code: 0, text })
    expect(await run('--apply')).toEqual({ code: 0, text: `Migrated the database: ${all}.\n` })
    expect(await run('--check')).toEqual({ code: 0, text: expect.stringMatching(/is up to date/) })
    expect(await run('--apply')).toEqual({ code: 0, text: expect.stringMatching(/is up to date/) })
  })

  it('rejects a database of a newer release and leaves it unchanged', async () => {
    const database = openDatabase(test.url, log, { app: 1, owner: 1 })
    await sql`insert into kysely_migration (name, timestamp) values ('9999-future', '')`.execute(database.owner)
    await database.close()
    for (const action of ['--check', '--apply']) {
      const { code, text } = await run(action)
      expect(code).toBe(1)
      expect(text).toContain('newer release')
    }
  })

  it.each([[[]], [['--now']], [['--check', '--apply']]])('shows its usage for %j', async (args) => {
    await expect(upgrade(args, { environment: {}, root: '/' })).rejects.toThrow('Usage: glacis upgrade')
  })
})
