/** Validates the manifests for Kubernetes with the schemas that Kubernetes publishes. */
import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { installs } from '../apps/server/src/agents/install.ts'

interface Manifest {
  readonly apiVersion: string
  readonly kind: string
}
/** A module of kubernetes-models: classes by kind. */
type Models = Readonly<Record<string, new (data: object) => { validate(): void }>>

/** @throws if a document doesn't match the schema of its kind */
async function validate(text: string): Promise<string[]> {
  const manifests = parseAllDocuments(text).flatMap((document) => {
    const value = document.toJS() as Manifest | null // the schema of the kind is checked below
    return value === null ? [] : [value]
  })
  for (const manifest of manifests) {
    const { apiVersion, kind } = manifest
    const models = (await import(`kubernetes-models/${apiVersion}/${kind}`)) as Models
    const model = models[kind]
    if (!model) throw new Error(`Kubernetes has no ${apiVersion} ${kind}.`)
    new model(manifest).validate()
  }
  return manifests.map(({ kind }) => kind)
}

describe('the install command of the agent', () => {
  const { command } = installs.kubernetes('https://glacis.example.org', '')
  const [, manifest = ''] = /<<'END'\n(.*)\nEND$/s.exec(command) ?? []

  it('has valid manifests', async () => {
    expect(await validate(manifest)).toEqual(['PersistentVolumeClaim', 'Deployment'])
  })

  it.each([
    ['a field of the wrong type', 'runAsUser: 1000', 'runAsUser: node', 'runAsUser must be integer'],
    ['a missing field', '- name: agent', '- title: agent', 'must have required property name'],
  ])('would be rejected with %s', async (_, before, after, message) => {
    expect(manifest).toContain(before)
    await expect(validate(manifest.replace(before, after))).rejects.toThrow(message)
  })
})

const hasHelm = spawnSync('helm', ['version']).status === 0

describe.skipIf(!hasHelm)('the Helm chart', () => {
  it.each([
    ['its defaults', 'metricsPort=9464'],
    ['storage, an ingress class, and a secret', 'persistence.enabled=true,ingress.className=nginx,extraSecret=mail'],
    ['as little as possible', 'networkPolicy.enabled=false,ingress.enabled=false,metricsPort='],
  ])('renders valid manifests with %s', async (_, values) => {
    const chart = join(import.meta.dirname, '../deploy/helm/glacis')
    const options = ['--kube-version', '1.34', '--set', `url=https://glacis.example.org,${values}`]
    const text = execFileSync('helm', ['template', 'glacis', chart, ...options], { encoding: 'utf8' })
    expect(await validate(text)).toContain('Deployment')
  })
})
