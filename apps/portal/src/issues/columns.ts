/** Which columns a table of risks shows beside those that it always has; the choice stays in this browser. */
import { readStored, useStoredText, writeStored } from '#lib/storage.ts'

export const optionalColumns = ['priority', 'epss', 'targets', 'due', 'assignee', 'tags'] as const
export type OptionalColumn = (typeof optionalColumns)[number]
export const columnWords: Readonly<Record<OptionalColumn, string>> = {
  priority: 'Priority',
  epss: 'EPSS',
  targets: 'Targets',
  due: 'Due',
  assignee: 'Assignee',
  tags: 'Tags',
}

const stored = 'riskColumns'

/** The chosen ones, in the order of the table. */
export function useColumns(): readonly OptionalColumn[] {
  return chosenOf(useStoredText(stored))
}

export function toggleColumn(column: OptionalColumn): void {
  const chosen = chosenOf(readStored(stored))
  const next = chosen.includes(column) ? chosen.filter((one) => one !== column) : [...chosen, column]
  writeStored(stored, next.join(' '))
}

function chosenOf(text: string | null): readonly OptionalColumn[] {
  const words = new Set((text ?? '').split(' '))
  return optionalColumns.filter((column) => words.has(column))
}
