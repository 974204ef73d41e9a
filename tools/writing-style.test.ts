/** Finds phrases that docs/style.md replaces, in every text file of the repository. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')

/** Paths that aren't searched, with the reason. */
const ignoredPaths: readonly (readonly [path: RegExp, reason: string])[] = [
  [/^docs\/style\.md$/, 'defines the phrases'],
  [/^tools\/(writing-style\.test\.ts|dictionary\.txt)$/, 'names the phrases'],
  [/^LICENSE$|\.license\.txt$|package-lock\.json$/, 'third-party text'],
  [/\/recordings\.json$|\/recorded\//, 'recorded responses of Ory Kratos'],
  [/\.(woff2|png|gz|ico|snap|svg|tar|zip|der|pem)$/, 'not prose'],
]

/** Phrases allowed in some files, with the reason. */
const allowed: readonly (readonly [path: RegExp, phrase: string, reason: string])[] = [
  [
    /^(apps\/portal\/src\/|packages\/identity\/src\/|docs\/kratos\.md$)/,
    'e-mail',
    'the title of the email trait in Kratos',
  ],
]

const phrases = readPhrases()
const pattern = new RegExp(String.raw`\b(?:${phrases.map(escape).join('|')})\b`, 'giu')

it('finds phrases regardless of case and line', () => {
  expect(violationsIn('a.ts', 'one\nTell Whoever asks')).toEqual(['a.ts:2: "whoever"'])
})

it('finds no avoided phrase in the repository', () => {
  expect(textFiles().flatMap((file) => violationsIn(file, readFileSync(join(root, file), 'utf8')))).toEqual([])
})

it('has no unused exception', () => {
  const files = textFiles().map((file) => [file, readFileSync(join(root, file), 'utf8').toLowerCase()] as const)
  const isUsed = ([path, phrase]: (typeof allowed)[number]) =>
    files.some(([file, text]) => path.test(file) && text.includes(phrase))
  expect(allowed.filter((exception) => !isUsed(exception))).toEqual([])
})

/** The first column of the table of words in docs/style.md. */
function readPhrases(): readonly string[] {
  const guide = readFileSync(join(root, 'docs/style.md'), 'utf8')
  const table = /\| Avoid \| Write \|\n\|[-|]+\|\n((?:\|.*\|\n)+)/.exec(guide)?.[1] ?? ''
  const phrases = table.split('\n').flatMap((row) => row.split('|')[1]?.split(',') ?? [])
  if (phrases.length === 0) throw new Error('docs/style.md has no table of words')
  return phrases.map((phrase) => phrase.trim())
}

function violationsIn(file: string, text: string): string[] {
  return text.split('\n').flatMap((line, index) =>
    Array.from(line.matchAll(pattern), ([match]) => match.toLowerCase())
      .filter((phrase) => !allowed.some(([path, exception]) => exception === phrase && path.test(file)))
      .map((phrase) => `${file}:${index + 1}: "${phrase}"`),
  )
}

function textFiles(): readonly string[] {
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean)
  return files.filter((file) => !ignoredPaths.some(([path]) => path.test(file)))
}

function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
}
