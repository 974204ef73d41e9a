/**
 * `npm run secrets`: searches every line that was ever added to the repository for secrets, with the rules of secretlint.
 * A finding is allowed only if `tools/allowed-secrets.json` lists it with a reason.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createEngine } from '@secretlint/node'
import { root } from './node.mjs'

const listPath = 'tools/allowed-secrets.json'
const allowed = JSON.parse(readFileSync(join(root, listPath), 'utf8'))
const engine = await createEngine({
  color: false,
  formatter: 'json',
  maskSecrets: false,
  configFileJSON: { rules: [{ id: '@secretlint/secretlint-rule-preset-recommend' }] },
})

const found = []
const added = addedLines()
added.delete(listPath)
for (const [path, lines] of added) {
  const content = lines.join('\n')
  const { ok, output } = await engine.executeOnContent({ content, filePath: path })
  if (ok) continue
  for (const { messages } of [JSON.parse(output)].flat())
    for (const { message, range, ruleId } of messages)
      found.push({ path, ruleId, message, text: content.slice(...range) })
}
// Anywhere in the history, because files are renamed.
const unknown = found.filter(({ text }) => !allowed.some((entry) => text.includes(entry.text)))
for (const { path, ruleId, message } of unknown) console.error(`${path}: ${message} (${ruleId})`)
console.log(`${added.size} files searched: ${found.length} findings, ${unknown.length} not allowed`)
process.exitCode = unknown.length > 0 ? 1 : 0

/** For every path in the history of HEAD, all lines that were ever added to its text. */
function addedLines() {
  // Independent of the user's own settings of Git.
  const settings = ['-c', 'core.quotePath=false', '-c', 'log.showRoot=true']
  const format = ['--format=', '--patch', '--unified=0', '--diff-merges=cc', '--dst-prefix=b/']
  const plain = ['--no-renames', '--no-color', '--no-ext-diff', '--no-textconv']
  const options = { cwd: root, maxBuffer: 2 ** 31 - 1 }
  const log = execFileSync('git', [...settings, 'log', ...format, ...plain], options)
  const added = new Map()
  let path = ''
  let isHeader = false
  for (const line of log.toString().split('\n')) {
    if (line.startsWith('diff --')) isHeader = true
    else if (line.startsWith('@@')) isHeader = false
    else if (!isHeader && line.startsWith('+')) added.get(path)?.push(line.replace(/^\++/, ''))
    else if (isHeader && line.startsWith('+++ b/')) {
      path = line.slice('+++ b/'.length).trimEnd()
      if (!added.has(path)) added.set(path, [])
    }
  }
  return added
}
