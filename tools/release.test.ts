import { execFileSync, spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import manifest from '../package.json' with { type: 'json' }

const root = fileURLToPath(new URL('..', import.meta.url))
const { version } = manifest
const cacheFolder = join(root, 'node_modules/.cache/glacis')
let folder: string
beforeEach(async () => {
  await mkdir(cacheFolder, { recursive: true })
  folder = await mkdtemp(join(cacheFolder, 'release-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

it('SEC-H3 writes identical files for the same commit', async () => {
  const digests: string[] = []
  // Each in a fresh clone, with different file timestamps. The second has no history, because searching the history for
  // secrets takes longest. Node.js finds the dependencies in the parent folders.
  for (const [name, options] of [
    ['one', []],
    ['two', ['--depth=1']],
  ] as const) {
    const clone = join(folder, name)
    execFileSync('git', ['clone', '--quiet', '--no-local', ...options, root, clone])
    const release = join(folder, `${name}-release`)
    const args = ['tools/release.mjs', '--skip-audit', release]
    execFileSync(process.execPath, args, { cwd: clone, stdio: ['ignore', 'ignore', 'pipe'] })
    digests.push(await readFile(join(release, 'SHA256SUMS'), 'utf8'))
  }
  expect(digests[0]).toMatch(/^[0-9a-f]{64} {2}glacis-\S+\.tar\.gz$/m)
  expect(digests[1]).toBe(digests[0])
  const { components } = JSON.parse(await readFile(join(folder, `one-release/glacis-${version}.cdx.json`), 'utf8'))
  const listed = components.map((component: Record<string, string>) => component['bom-ref'])
  expect(listed.toSorted()).toEqual(installedPackages())
}, 240_000)

/** What `npm ci --omit=dev` installs, on any platform. */
function installedPackages(): string[] {
  const args = ['ls', '--all', '--omit=dev', '--package-lock-only', '--json']
  const { stdout } = spawnSync('npm', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 })
  const found = new Set<string>()
  collect(JSON.parse(stdout))
  return [...found].toSorted()

  function collect({ dependencies = {} }: Tree): void {
    for (const [name, dependency] of Object.entries(dependencies)) {
      // An optional peer that nothing installs has no version.
      if (dependency.version !== undefined) found.add(`${name}@${dependency.version}`)
      collect(dependency)
    }
  }
}

interface Tree {
  readonly version?: string
  readonly dependencies?: Readonly<Record<string, Tree>>
}
