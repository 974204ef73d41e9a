import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { Language, Parser } from 'web-tree-sitter'
import { installs } from '#agents/install.ts'

const url = 'https://glacis.example.org'

it('is a PowerShell script without syntax errors', async () => {
  await Parser.init()
  const grammar = import.meta.resolve('tree-sitter-powershell/tree-sitter-powershell.wasm')
  const parser = new Parser()
  parser.setLanguage(await Language.load(await readFile(new URL(grammar))))
  const hasError = (script: string) => parser.parse(script)?.rootNode.hasError
  expect(hasError(installs.windows(url, ' --plain-http').command)).toBe(false)
  expect(hasError('$token = (Read-Host "Token"')).toBe(true)
})
