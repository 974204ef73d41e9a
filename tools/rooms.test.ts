/**
 * The import rules, tried on a mock house with planted violations. The linter runs as in the real
 * house, so that this also proves that it loads our plugin.
 */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '..')
const manifest = (name: string, dependencies: readonly string[]) =>
  JSON.stringify({ name, dependencies: Object.fromEntries(dependencies.map((dependency) => [dependency, '1.0.0'])) })

/** Path → content; each file is one case. */
const files: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify({ name: 'house', devDependencies: { vitest: '1.0.0' } }),
  'apps/server/package.json': manifest('server', ['kysely', '@glacis/contract']),
  'apps/portal/package.json': manifest('portal', ['react']),
  'packages/scanner/package.json': manifest('scanner', ['undici']),

  'apps/server/src/http/foreign.ts': `import { post } from '#mail.ts'`,
  'apps/server/src/issues/upstream.ts': `import { start } from '#scans/index.ts'`,
  'apps/server/src/issues/climbing.ts': `export * from '../scans/index.ts'`,
  'apps/server/src/stats.ts': `export const late = () => import('./issues/index.ts')`,
  'apps/server/src/http/deep.ts': `import { rows } from '#scans/start.ts'`,
  'apps/server/src/jobs.ts': `import { readConfig } from '#config.ts'`,
  'apps/server/src/undeclared.ts': `import { request } from 'undici'`,
  'apps/server/src/subpath.ts': `import { request } from '@scope/thing/deep'`,
  'apps/server/src/compiled.ts': `import { one } from './obstacle.js'`,
  'apps/portal/src/issues/noun.tsx': `import { Row } from '#targets/target-row.tsx'`,
  'apps/portal/src/ui/noun.tsx': `import { all } from '#issues/queries.ts'`,
  'packages/scanner/src/hoisted.ts': `import { z } from 'zod'`,

  'apps/server/src/http/allowed.ts': `import { list } from '#scans/index.ts'
import { sql } from 'kysely'
import { Issue } from '@glacis/contract/issue'
import { Refusal } from '#errors.ts'
import { readFile } from 'node:fs/promises'`,
  'apps/server/src/compose.ts': `import { readConfig } from './config.ts'
import { deliver } from '#scans/start.ts'`,
  'apps/server/src/mail.test.ts': `import { mail } from './mail.ts'
import { it } from 'vitest'
import { fresh } from '#testing/database.ts'`,
  'apps/portal/src/issues/allowed.tsx': `import { all } from '#targets/queries.ts'
import { Card } from '#ui/card.tsx'
import { useState } from 'react'`,
  'apps/portal/src/routes/allowed.tsx': `import { Row } from '#targets/target-row.tsx'`,
  'packages/scanner/src/allowed.ts': `import { request } from 'undici'
import { one } from '#net/tcp.ts'`,
  'e2e/allowed.spec.ts': `import { listHosts } from '@glacis/contract/host'`,
}

let house: string
let found: ReadonlyMap<string, readonly string[]>
beforeAll(async () => {
  house = await mkdtemp(join(tmpdir(), 'glacis-house-'))
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(house, path)), { recursive: true })
    await writeFile(join(house, path), `${content}\n`)
  }
  const rules = { 'house/doors': 'error', 'house/imports': 'error' }
  const config = { jsPlugins: [join(root, 'tools/rooms.ts')], categories: { correctness: 'off' }, rules }
  await writeFile(join(house, '.oxlintrc.json'), JSON.stringify(config))
  found = await lint(house)
})
afterAll(() => rm(house, { recursive: true, force: true }))

interface Report {
  readonly diagnostics: readonly { readonly message: string; readonly filename: string }[]
}

/** The messages by file. The linter ends with 1 when it found something, which is what it is here for. */
async function lint(folder: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const oxlint = join(root, 'node_modules/.bin/oxlint')
  const { promise, resolve: done } = Promise.withResolvers<string>()
  execFile(oxlint, ['--format=json'], { cwd: folder }, (_error, stdout) => done(stdout))
  const { diagnostics }: Report = JSON.parse(await promise)
  const byFile = Map.groupBy(diagnostics, ({ filename }) => filename)
  return new Map([...byFile].map(([file, list]) => [file, list.map(({ message }) => message)]))
}

it.each([
  ['a room that it may not open', 'apps/server/src/http/foreign.ts', 'http may not open mail'],
  ['an arrow that points up', 'apps/server/src/issues/upstream.ts', 'issues may not open scans'],
  ['a door opened by a re-export', 'apps/server/src/issues/climbing.ts', 'issues may not open scans'],
  ['a door opened late', 'apps/server/src/stats.ts', 'stats may not open issues'],
  ['a way past a door', 'apps/server/src/http/deep.ts', 'enter scans by its index.ts'],
  ['the settings outside the hall', 'apps/server/src/jobs.ts', 'jobs may not open config'],
  ['an undeclared package', 'apps/server/src/undeclared.ts', 'apps/server does not declare undici'],
  ['a path in an undeclared package', 'apps/server/src/subpath.ts', 'apps/server does not declare @scope/thing'],
  ['a package that only hoisting brings', 'packages/scanner/src/hoisted.ts', 'packages/scanner does not declare zod'],
  ['a compiled name', 'apps/server/src/compiled.ts', 'name the .ts file; Node runs it as it is'],
  ["another noun's parts in the portal", 'apps/portal/src/issues/noun.tsx', 'issues may not open targets'],
  ['a noun in the interface kit', 'apps/portal/src/ui/noun.tsx', 'ui may not open issues'],
])('reports %s', (_name, path, message) => {
  expect(found.get(path)).toEqual([expect.stringContaining(message)])
})

it.each(Object.keys(files).filter((path) => /allowed|compose|mail\.test/.test(path)))('lets %s pass', (path) => {
  expect(found.get(path)).toBeUndefined()
})
