/** Bulk actions; replaces the filters while technologies are selected. */
import type { Product } from '@glacis/contract/product'
import { useMutation } from '@tanstack/react-query'
import { Bell, ChevronDown, EyeOff } from 'lucide-react'
import { formatNumber } from '#lib/format.ts'
import { addToast } from '#ui/toasts.tsx'
import { thresholdOptions, thresholdScores } from '#products/notification-threshold.ts'
import { editProducts, stopWatchingProducts } from '#products/queries.ts'
import { SelectionBar } from '#ui/selection-bar.tsx'
import { Button } from '#ui/button.tsx'
import { Menu } from '#ui/menu.tsx'
import { MenuAction } from '#ui/menu-entries.tsx'
import { SeverityGlyph } from '#ui/severity.tsx'

interface ProductBulkBarProps {
  /** The selected products, in list order. */
  readonly products: readonly Product[]
  /** Reduces the selection to these IDs. */
  readonly onKeep: (ids: readonly string[]) => void
}

/** Products that couldn't be changed stay selected and are reported. */
export function ProductBulkBar({ products, onKeep }: ProductBulkBarProps) {
  const bulkEdit = useMutation(editProducts)
  const stopMutation = useMutation(stopWatchingProducts)
  const watched = products.filter((product) => product.watched)
  const isBusy = bulkEdit.isPending || stopMutation.isPending
  function setThreshold(score: number, label: string): void {
    const ids = products.map(({ id }) => id)
    bulkEdit.mutate(
      { ids, minNotificationSeverity: score },
      { onSuccess: (failed) => reportResult(`Notify from ${label} is set for`, ids, failed) },
    )
  }
  function stop(): void {
    const ids = watched.map(({ id }) => id)
    stopMutation.mutate(ids, { onSuccess: (failed) => reportResult('Stopped watching', ids, failed) })
  }
  function reportResult(summary: string, ids: readonly string[], failed: readonly string[]): void {
    onKeep(failed)
    const done = `${summary} ${technologyCount(ids.length - failed.length)}.`
    if (failed.length === 0) addToast('success', { title: 'Success', message: done })
    else addToast('info', { title: 'Info', message: `${done} ${formatNumber(failed.length)} failed.` })
  }
  return (
    <SelectionBar
      onClear={() => onKeep([])}
      label="Selected technologies"
      summary={`${formatNumber(products.length)} selected`}
    >
      <Menu
        call="updateProduct"
        place="bottom start"
        button={
          <>
            <Bell aria-hidden="true" /> Notify from
            <ChevronDown aria-hidden="true" />
          </>
        }
      >
        {thresholdOptions.map(({ name, label, level }) => (
          <MenuAction
            key={name}
            icon={<SeverityGlyph level={level} />}
            disabled={isBusy}
            onClick={() => setThreshold(thresholdScores[name], label)}
          >
            {label}
          </MenuAction>
        ))}
      </Menu>
      <Button
        size="sm"
        call="updateProduct"
        icon={<EyeOff />}
        loading={stopMutation.isPending}
        disabled={isBusy || watched.length === 0}
        title={watched.length === 0 ? 'None of the selected technologies are watched.' : undefined}
        onClick={stop}
      >
        Stop watching{watched.length > 0 && watched.length < products.length ? ` ${formatNumber(watched.length)}` : ''}
      </Button>
    </SelectionBar>
  )
}

function technologyCount(count: number): string {
  return `${formatNumber(count)} ${count === 1 ? 'technology' : 'technologies'}`
}
