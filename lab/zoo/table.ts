/** Prints the results of the catalog as one table. */
import type { Entry } from './entry.ts'
import type { Evaluation } from './evaluate.ts'

/** The result of one program, or why there is none. */
export type Line =
  | {
      readonly entry: Entry
      readonly evaluation: Evaluation
      readonly seconds: number
      readonly memoryMiB: number
      readonly isCached: boolean
    }
  | { readonly entry: Entry; readonly skipped: string }

const head = [
  'entry',
  'set',
  'named',
  'versions',
  'confirmed',
  'false',
  'correctly not reported',
  'wrong names',
  's',
  'MiB',
]

export function printTable(lines: readonly Line[]): void {
  for (const line of lines) {
    if ('skipped' in line) console.log(`${line.entry.id}: skipped: ${line.skipped}`)
    else for (const problem of line.evaluation.problems) console.log(`${line.entry.id}: ${problem}`)
  }
  const rows = lines.map(rowOf)
  const totals = [
    totalsOf(
      'developed',
      lines.filter(({ entry }) => !entry.isBlind),
    ),
    totalsOf(
      'blind',
      lines.filter(({ entry }) => entry.isBlind),
    ),
    totalsOf('all', lines),
  ]
  console.log('')
  printRows([head, ...rows, head, ...totals])
}

function printRows(rows: readonly (readonly string[])[]): void {
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  for (const row of rows) console.log(`| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`)
}

function rowOf(line: Line): string[] {
  const set = line.entry.isBlind ? 'blind' : 'developed'
  if ('skipped' in line) return [line.entry.id, set, 'skipped', '', '', '', '', '', '', '']
  const { seconds, memoryMiB } = line
  return [line.entry.id, set, ...cellsOf([line.evaluation]), seconds.toFixed(1), memoryMiB.toFixed(0)]
}

function totalsOf(set: string, lines: readonly Line[]): string[] {
  const done = lines.filter((line) => 'evaluation' in line)
  const seconds = done.reduce((sum, line) => sum + line.seconds, 0)
  const memory = Math.max(0, ...done.map(({ memoryMiB }) => memoryMiB))
  const cells = cellsOf(done.map(({ evaluation }) => evaluation))
  return [`${done.length} of ${lines.length} started`, set, ...cells, seconds.toFixed(0), memory.toFixed(0)]
}

function cellsOf(evaluations: readonly Evaluation[]): string[] {
  const sum = (read: (evaluation: Evaluation) => number) =>
    evaluations.reduce((all, evaluation) => all + read(evaluation), 0)
  return [
    `${sum(({ named }) => named)}/${sum(({ products }) => products)}`,
    `${sum(({ versionsRead }) => versionsRead)}/${sum(({ versions }) => versions)}`,
    `${sum(({ proved }) => proved)}/${sum(({ expected }) => expected)}`,
    String(sum(({ falseProved }) => falseProved)),
    `${sum(({ mustNots, mustNotsReported }) => mustNots - mustNotsReported)}/${sum(({ mustNots }) => mustNots)}`,
    String(sum(({ wrongNames }) => wrongNames)),
  ]
}
