/** The files in deploy/ must use settings that exist. The images themselves are built with the commands in docs/deployment.md. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { names } from '#settings.ts'
import { version } from '#version.ts'

const root = join(import.meta.dirname, '../../../..')
const files = readdirSync(join(root, 'deploy'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => relative(root, join(parentPath, name)))
const text = (file: string) => readFileSync(join(root, file), 'utf8')

describe('deploy/', () => {
  it.each(files)('%s uses only settings that exist', (file) => {
    const used = text(file).match(/\bGLACIS_[A-Z_]+[A-Z]\b/g) ?? []
    expect(used.filter((name) => !names.some((other) => other === name))).toEqual([])
  })

  it('copies the manifest of every workspace into the image before installing', () => {
    const containerfile = text('deploy/container/Containerfile')
    const lock: { packages: Record<string, { name?: string; link?: boolean; resolved?: string }> } = JSON.parse(
      text('package-lock.json'),
    )
    const workspaces = Object.values(lock.packages).flatMap(({ link, resolved }) =>
      link && resolved ? [resolved] : [],
    )
    expect(workspaces.length).toBeGreaterThan(5)
    for (const workspace of workspaces) expect(containerfile).toContain(`COPY ${workspace}/package.json ${workspace}/`)
  })

  it('names the version of this release', () => {
    expect(text('deploy/helm/glacis/Chart.yaml')).toContain(`appVersion: ${version}\n`)
    expect(text('deploy/compose/compose.yaml')).toContain(`image: glacis:${version}\n`)
  })
})
