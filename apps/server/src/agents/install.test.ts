import { readFile } from 'node:fs/promises'
import { Deployment } from 'kubernetes-models/apps/v1'
import { PersistentVolumeClaim } from 'kubernetes-models/v1'
import { expect, it } from 'vitest'
import { Language, Parser } from 'web-tree-sitter'
import { parseAllDocuments } from 'yaml'
import { installs } from '#agents/install.ts'

const url = 'https://glacis.example.org'
const resources = { Deployment, PersistentVolumeClaim } as const

it('applies Kubernetes resources that match the published schemas', () => {
  const { command } = installs.kubernetes(url, '')
  const manifest = /<<'END'\n([\s\S]*)\nEND$/.exec(command)?.[1] ?? ''
  const documents = parseAllDocuments(manifest).map((document) => document.toJS({ maxAliasCount: 0 }))
  expect(documents.map(({ kind }) => kind)).toEqual(['PersistentVolumeClaim', 'Deployment'])
  for (const document of documents) {
    const kind: keyof typeof resources = document.kind
    const resource = new resources[kind](document)
    expect(() => resource.validate()).not.toThrow()
  }
})

it('is a PowerShell script without syntax errors', async () => {
  await Parser.init()
  const grammar = import.meta.resolve('tree-sitter-powershell/tree-sitter-powershell.wasm')
  const parser = new Parser()
  parser.setLanguage(await Language.load(await readFile(new URL(grammar))))
  const hasError = (script: string) => parser.parse(script)?.rootNode.hasError
  expect(hasError(installs.windows(url, ' --plain-http').command)).toBe(false)
  expect(hasError('$token = (Read-Host "Token"')).toBe(true)
})
