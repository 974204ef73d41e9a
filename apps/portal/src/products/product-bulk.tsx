/** What takes the place of the filters while technologies are picked. */
import type { Product } from '@glacis/contract/product'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Bell, ChevronDown, EyeOff, X } from 'lucide-react'
import { formatNumber } from '#lib/format.ts'
import { addToast } from '#lib/toasts.ts'
import { notifyOptions, notifyScores } from '#products/notify.ts'
import { changeMany, stopWatchingMany } from '#products/queries.ts'
import { PickedBar } from '#ui/picked-bar.tsx'
import { Button } from '#ui/button.tsx'
import { Menu } from '#ui/menu.tsx'
import { MenuAction } from '#ui/menu-entries.tsx'
import { SeverityGlyph } from '#ui/severity.tsx'

interface ProductBulkProps {
  /** The picked products, in the order of the list. */
  readonly products: readonly Product[]
  /** Keeps only these picked: what was left out, or nothing. */
  readonly onKeep: (ids: readonly string[]) => void
}

/** What could not be changed stays picked and is said. */
export function ProductBulk({ products, onKeep }: ProductBulkProps) {
  const client = useQueryClient()
  const changing = useMutation(changeMany(client))
  const stopping = useMutation(stopWatchingMany(client))
  const watched = products.filter((product) => product.watched)
  const isBusy = changing.isPending || stopping.isPending
  function notifyFrom(score: number, label: string): void {
    const ids = products.map(({ id }) => id)
    changing.mutate(
      { ids, minNotificationSeverity: score },
      { onSuccess: (failed) => tell(`Notify from ${label}`, ids, failed) },
    )
  }
  function stop(): void {
    const ids = watched.map(({ id }) => id)
    stopping.mutate(ids, { onSuccess: (failed) => tell('No longer watched', ids, failed) })
  }
  function tell(words: string, ids: readonly string[], failed: readonly string[]): void {
    onKeep(failed)
    const done = `${words}: ${counted(ids.length - failed.length)}.`
    if (failed.length === 0) addToast('success', { title: 'Success', message: done })
    else addToast('info', { title: 'Info', message: `${done} Left as before: ${formatNumber(failed.length)}.` })
  }
  return (
    <PickedBar label="Selected technologies" words={`${formatNumber(products.length)} selected`}>
      <Menu
        place="bottom start"
        button={
          <>
            <Bell aria-hidden="true" />
            Notify from
            <ChevronDown aria-hidden="true" />
          </>
        }
      >
        {notifyOptions.map(({ word, label, level }) => (
          <MenuAction
            key={word}
            icon={<SeverityGlyph level={level} />}
            disabled={isBusy}
            onClick={() => notifyFrom(notifyScores[word], label)}
          >
            {label}
          </MenuAction>
        ))}
      </Menu>
      <Button
        size="sm"
        icon={<EyeOff />}
        loading={stopping.isPending}
        disabled={isBusy || watched.length === 0}
        title={watched.length === 0 ? 'None of them is watched.' : undefined}
        onClick={stop}
      >
        Stop watching{watched.length > 0 && watched.length < products.length ? ` ${formatNumber(watched.length)}` : ''}
      </Button>
      <span className="ml-auto">
        <Button size="sm" variant="ghost" icon={<X />} onClick={() => onKeep([])}>
          Clear
        </Button>
      </span>
    </PickedBar>
  )
}

function counted(count: number): string {
  return `${formatNumber(count)} ${count === 1 ? 'technology' : 'technologies'}`
}
