/**
 * `npm run secrets`: searches the files of the repository and its whole history for secrets, with the rules of secretlint.
 * A finding is allowed only if `tools/allowed-secrets.json` lists it with a reason.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createEngine } from '@secretlint/node'
import { root } from './node.mjs'

const bytesMax = 2 ** 20
const listPath = 'tools/allowed-secrets.json'
const allowed = JSON.parse(readFileSync(join(root, listPath), 'utf8'))
const engine = await createEngine({
  color: false,
  formatter: 'json',
  maskSecrets: false,
  configFileJSON: { rules: [{ id: '@secretlint/secretlint-rule-preset-recommend' }] },
})

let searched = 0
const found = []
for (const { path, content } of versions()) {
  if (path === listPath) continue
  searched++
  const { ok, output } = await engine.executeOnContent({ content, filePath: path })
  if (ok) continue
  for (const { messages } of [JSON.parse(output)].flat())
    for (const { message, range, ruleId } of messages)
      found.push({ path, ruleId, message, text: content.slice(...range) })
}
const unknown = found.filter(
  ({ path, text }) => !allowed.some((entry) => path === entry.path && text.includes(entry.text)),
)
for (const { path, ruleId, message } of unknown) console.error(`${path}: ${message} (${ruleId})`)
console.log(`${searched} file versions searched: ${found.length} findings, ${unknown.length} not allowed`)
process.exitCode = unknown.length > 0 ? 1 : 0

/** Every version of every text file in the history of HEAD. */
function* versions() {
  const objects = [
    ...git('rev-list', ['--objects', 'HEAD'])
      .toString()
      .matchAll(/^(\w+) (.+)$/gm),
  ]
  const pathById = new Map(objects.map(([, id, path]) => [id, path]))
  const kinds = git('cat-file', ['--batch-check'], [...pathById.keys()].join('\n')).toString()
  const ids = [...kinds.matchAll(/^(\w+) blob (\d+)$/gm)].filter(([, , size]) => Number(size) <= bytesMax)
  const contents = git('cat-file', ['--batch'], ids.map(([, id]) => id).join('\n'))
  let at = 0
  for (const [, id, size] of ids) {
    const start = contents.indexOf('\n', at) + 1
    at = start + Number(size) + 1
    const bytes = contents.subarray(start, at - 1)
    // Secrets are in text; binary files contain NUL.
    if (!bytes.includes(0)) yield { path: pathById.get(id) ?? '', content: bytes.toString() }
  }
}

function git(command, options, input) {
  return execFileSync('git', [command, ...options], { cwd: root, maxBuffer: 2 ** 31 - 1, input })
}
