/** Optional columns of the risk tables. The choice is saved in this browser. */
import { readStored, useStoredText, writeStored } from '#lib/storage.ts'

export const optionalColumns = ['priority', 'epss', 'targets', 'due', 'assignee', 'tags'] as const
export type OptionalColumn = (typeof optionalColumns)[number]
export const columnLabels: Readonly<Record<OptionalColumn, string>> = {
  priority: 'Priority',
  epss: 'EPSS',
  targets: 'Targets',
  due: 'Due',
  assignee: 'Assignee',
  tags: 'Tags',
}

const storageKey = 'riskColumns'

/** The chosen columns, in table order. */
export function useColumns(): readonly OptionalColumn[] {
  return parseColumns(useStoredText(storageKey))
}

export function toggleColumn(column: OptionalColumn): void {
  const chosen = parseColumns(readStored(storageKey))
  const next = chosen.includes(column) ? chosen.filter((name) => name !== column) : [...chosen, column]
  writeStored(storageKey, next.join(' '))
}

function parseColumns(text: string | null): readonly OptionalColumn[] {
  const names = new Set((text ?? '').split(' '))
  return optionalColumns.filter((column) => names.has(column))
}
