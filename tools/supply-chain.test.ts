import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')

it('SEC-H3 pins every dependency to an exact version', () => {
  const manifests = globSync(['package.json', '{packages,apps}/*/package.json', 'lab/package.json'], { cwd: root })
  expect(manifests.length).toBeGreaterThan(5)
  for (const manifest of manifests) {
    for (const [name, version] of dependenciesOf(manifest)) {
      expect([manifest, name, version]).toEqual([manifest, name, expect.stringMatching(/^\d+\.\d+\.\d+(-[\w.]+)?$/)])
    }
  }
})

it('SEC-H3 records the digest of every package in the lock file, and no registry', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const external = Object.entries<Record<string, unknown>>(packages).filter(
    ([path, entry]) => path.includes('node_modules/') && entry['link'] !== true,
  )
  expect(external.length).toBeGreaterThan(100)
  expect(
    external.filter(([, entry]) => !String(entry['integrity']).startsWith('sha512-')).map(([path]) => path),
  ).toEqual([])
  expect(external.filter(([, entry]) => /^https?:/.test(String(entry['resolved']))).map(([path]) => path)).toEqual([])
})

it('SEC-H3 gives a reason for every text that only looks like a secret', () => {
  const allowed = JSON.parse(readFileSync(join(root, 'tools/allowed-secrets.json'), 'utf8'))
  expect(allowed.length).toBeGreaterThan(0)
  for (const { path, text, reason } of allowed) {
    expect([path, text.length >= 8, reason.length >= 20]).toEqual([path, true, true])
    expect(readFileSync(join(root, path), 'utf8'), path).toContain(text)
  }
})

function dependenciesOf(manifest: string): [string, string][] {
  const { dependencies, devDependencies, optionalDependencies } = JSON.parse(readFileSync(join(root, manifest), 'utf8'))
  return Object.entries<string>({ ...dependencies, ...devDependencies, ...optionalDependencies })
}
