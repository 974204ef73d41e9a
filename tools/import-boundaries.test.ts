/** Runs the linter with the repository's import rules on a temporary repository with violations. */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '..')

/** Content by path; each file is one case. */
const files: Readonly<Record<string, string>> = {
  'apps/server/package.json': '{}',
  'apps/portal/package.json': '{}',
  'packages/scanner/package.json': '{}',

  'apps/server/src/http/foreign.ts': `import { post } from '#mail.ts'`,
  'apps/server/src/issues/upstream.ts': `import { start } from '#scans/index.ts'`,
  'apps/server/src/issues/climbing.ts': `export * from '../scans/index.ts'`,
  'apps/server/src/stats.ts': `export const late = () => import('./issues/index.ts')`,
  'apps/server/src/http/deep.ts': `import { rows } from '#scans/start.ts'`,
  'apps/server/src/jobs.ts': `import { readConfig } from '#config.ts'`,
  'apps/server/src/compiled.ts': `import { one } from './cli-error.js'`,
  'apps/portal/src/issues/noun.tsx': `import { Row } from '#targets/target-row.tsx'`,
  'apps/portal/src/ui/noun.tsx': `import { all } from '#issues/queries.ts'`,
  'packages/scanner/src/scan.ts': `import type { Host } from './host.ts'
export interface Scan {
  hosts: Host[]
}`,
  'packages/scanner/src/host.ts': `import type { Scan } from './scan.ts'
export interface Host {
  scan: Scan
}`,

  'apps/server/src/http/allowed.ts': `import { list } from '#scans/index.ts'
import { ApiError } from '#errors.ts'
import { readFile } from 'node:fs/promises'`,
  'apps/server/src/compose.ts': `import { readConfig } from './config.ts'
import { deliver } from '#scans/start.ts'`,
  'apps/server/src/mail.test.ts': `import { mail } from './mail.ts'
import { fresh } from '#testing/database.ts'`,
  'apps/portal/src/issues/allowed.tsx': `import { all } from '#targets/queries.ts'
import { Card } from '#ui/card.tsx'`,
  'apps/portal/src/routes/allowed.tsx': `import { Row } from '#targets/target-row.tsx'`,
  'packages/scanner/src/allowed.ts': `import { one } from '#net/tcp.ts'`,
}

let folder: string
let messagesByFile: ReadonlyMap<string, readonly string[]>
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'glacis-lint-'))
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), `${content}\n`)
  }
  const { rules } = JSON.parse(await readFile(join(root, '.oxlintrc.json'), 'utf8'))
  const tested = ['boundaries/public-api', 'boundaries/ts-extension', 'import/no-cycle']
  const config = {
    plugins: ['import'],
    jsPlugins: [join(root, 'tools/import-boundaries.ts')],
    categories: { correctness: 'off' },
    rules: Object.fromEntries(tested.map((name) => [name, rules[name]])),
  }
  await writeFile(join(folder, '.oxlintrc.json'), JSON.stringify(config))
  messagesByFile = await lint(folder)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

interface Report {
  readonly diagnostics: readonly { readonly message: string; readonly filename: string }[]
}

/** The linter exits with 1 here because it finds the violations. */
async function lint(cwd: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const oxlint = join(root, 'node_modules/.bin/oxlint')
  const { promise, resolve: done } = Promise.withResolvers<string>()
  execFile(oxlint, ['--format=json'], { cwd }, (_error, stdout) => done(stdout))
  const { diagnostics }: Report = JSON.parse(await promise)
  const byFile = Map.groupBy(diagnostics, ({ filename }) => filename)
  return new Map([...byFile].map(([file, list]) => [file, list.map(({ message }) => message)]))
}

it.each([
  ['a module that is not allowed', 'apps/server/src/http/foreign.ts', 'http must not import mail'],
  ['an import against the direction', 'apps/server/src/issues/upstream.ts', 'issues must not import scans'],
  ['a re-export', 'apps/server/src/issues/climbing.ts', 'issues must not import scans'],
  ['a dynamic import', 'apps/server/src/stats.ts', 'stats must not import issues'],
  ['an import past index.ts', 'apps/server/src/http/deep.ts', 'Import scans through its index.ts'],
  ['configuration outside the entry points', 'apps/server/src/jobs.ts', 'jobs must not import config'],
  ['a .js extension', 'apps/server/src/compiled.ts', 'Import the .ts file'],
  ["another feature's components in the portal", 'apps/portal/src/issues/noun.tsx', 'issues must not import targets'],
  ['a feature in the UI kit', 'apps/portal/src/ui/noun.tsx', 'ui must not import issues'],
  ['a cycle of types', 'packages/scanner/src/scan.ts', 'Dependency cycle detected'],
])('reports %s', (_name, path, message) => {
  expect(messagesByFile.get(path)).toEqual([expect.stringContaining(message)])
})

it.each(Object.keys(files).filter((path) => /allowed|compose|mail\.test/.test(path)))('accepts %s', (path) => {
  expect(messagesByFile.get(path)).toBeUndefined()
})
