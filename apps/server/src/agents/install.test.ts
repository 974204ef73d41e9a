import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
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

/** Runs `install.sh` with only these programs, besides those that change nothing. */
async function install(programs: Readonly<Record<string, string>>, options: readonly string[] = []) {
  const folder = await mkdtemp(join(tmpdir(), 'glacis-install-'))
  const changed = join(folder, 'changed')
  const changing = ['useradd', 'install', 'chown', 'systemctl'].map((name) => [name, `echo ${name} >>${changed}`])
  for (const [name, code] of [...changing, ['dirname', 'echo .'], ...Object.entries(programs)]) {
    await writeFile(join(folder, name ?? ''), `#!/bin/sh\n${code}\n`)
    await chmod(join(folder, name ?? ''), 0o700)
  }
  const script = join(import.meta.dirname, 'install.sh')
  // A session of its own has no terminal.
  const args = ['--wait', '/bin/sh', script, url, ...options]
  try {
    const { code, stderr } = await promisify(execFile)('/usr/bin/setsid', args, {
      env: { PATH: folder },
      cwd: folder,
    }).then(
      () => ({ code: 0, stderr: '' }),
      (error: { code: number; stderr: string }) => error,
    )
    return { code, stderr, hasChanges: existsSync(changed) }
  } finally {
    await rm(folder, { recursive: true })
  }
}
const root = 'if [ "$1" = -u ]; then echo 0; else exit 1; fi'
const node = (version: string, check = '') => `if [ "$1" = -p ]; then echo ${version}; else ${check || ':'}; fi`

it.runIf(process.platform === 'linux').each([
  ['without root', { id: 'echo 1000' }, /^Root privileges are required/],
  ['without Node.js', { id: root }, /^Node\.js 26 or later is required/],
  ['with an older Node.js', { id: root, node: node('20.20.2') }, /is required.* Found version 20\.20\.2 in/],
  ['without the server', { id: root, node: node('26.1.0', 'echo refused >&2; exit 1') }, /^refused\n$/],
  ['without a token', { id: root, node: node('27.0.0') }, /^No token given/],
] as const)('installs nothing %s', async (_, programs, message) => {
  expect(await install(programs)).toEqual({ code: 1, stderr: expect.stringMatching(message), hasChanges: false })
})

it.runIf(process.platform === 'linux')('installs nothing with an option that the unit would split', async () => {
  expect(await install({ id: root, node: node('27.0.0') }, ['--packs', '/opt/my packs'])).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^"\/opt\/my packs" contains/),
    hasChanges: false,
  })
})
