/**
 * From which severity on new threats to a product are told of: chosen from a menu, saved at once. `quiet` in a row;
 * else it looks like the field that it is.
 */
import type { Product } from '@glacis/contract/product'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ChevronDown, ChevronsUpDown } from 'lucide-react'
import { addToast } from '#lib/toasts.ts'
import { notifyLabel, notifyOptions, notifyScores, notifyWord } from '#products/notify.ts'
import { change } from '#products/queries.ts'
import { inputClass } from '#ui/field.tsx'
import { Menu } from '#ui/menu.tsx'
import { MenuChoice } from '#ui/menu-entries.tsx'
import { SeverityGlyph } from '#ui/severity.tsx'

export function NotifyFrom({ product, quiet = false }: { readonly product: Product; readonly quiet?: boolean }) {
  const saving = useMutation(change(useQueryClient()))
  const now = product.minNotificationSeverity
  const word = notifyWord(now)
  const choose = (score: number, label: string) => {
    const onSuccess = () =>
      addToast('success', { title: 'Success', message: `You hear of new threats to ${product.name} from ${label} on.` })
    saving.mutate({ id: product.id, minNotificationSeverity: score }, { onSuccess })
  }
  return (
    <Menu
      label={`Notify from ${notifyLabel(now)}, ${product.name} ${product.version}`}
      place="bottom start"
      {...(quiet
        ? { variant: 'ghost' }
        : { buttonClassName: `${inputClass()} flex items-center gap-2`, widthClassName: 'min-w-(--button-width)' })}
      button={
        <>
          {!quiet && <SeverityGlyph level={notifyOptions.find((option) => option.word === word)?.level ?? 'none'} />}
          <span className="tabular-nums">{notifyLabel(now)}</span>
          {quiet ? (
            <ChevronDown aria-hidden="true" className="text-ink-3" />
          ) : (
            <ChevronsUpDown aria-hidden="true" className="ml-auto size-3.5 text-ink-3" />
          )}
        </>
      }
    >
      {notifyOptions.map((option) => (
        <MenuChoice
          key={option.word}
          checked={word === option.word}
          icon={<SeverityGlyph level={option.level} />}
          onClick={() => choose(notifyScores[option.word], option.label)}
        >
          {option.label}
        </MenuChoice>
      ))}
    </Menu>
  )
}
