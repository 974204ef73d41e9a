/** The menu that sets a product's notification threshold. `quiet` renders a plain button for table rows. */
import type { Product } from '@glacis/contract/product'
import { useMutation } from '@tanstack/react-query'
import { ChevronDown, ChevronsUpDown } from 'lucide-react'
import { addToast } from '#ui/toasts.tsx'
import { thresholdLabel, thresholdOptions, thresholdScores, thresholdName } from '#products/notification-threshold.ts'
import { editProduct } from '#products/queries.ts'
import { inputClass } from '#ui/field.tsx'
import { Menu } from '#ui/menu.tsx'
import { MenuChoice } from '#ui/menu-entries.tsx'
import { SeverityGlyph } from '#ui/severity.tsx'

export function ThresholdMenu({ product, quiet = false }: { readonly product: Product; readonly quiet?: boolean }) {
  const saving = useMutation(editProduct)
  const now = product.minNotificationSeverity
  const current = thresholdName(now)
  const choose = (score: number, label: string) => {
    const onSuccess = () =>
      addToast('success', { title: 'Success', message: `Notify from ${label} is set for ${product.name}.` })
    saving.mutate({ id: product.id, minNotificationSeverity: score }, { onSuccess })
  }
  return (
    <Menu
      call="updateProduct"
      label={`Notify from ${thresholdLabel(now)}, ${product.name} ${product.version}`}
      place="bottom start"
      {...(quiet
        ? { variant: 'ghost' }
        : { buttonClassName: `${inputClass()} flex items-center gap-2`, widthClassName: 'min-w-(--button-width)' })}
      button={
        <>
          {!quiet && (
            <SeverityGlyph level={thresholdOptions.find((option) => option.name === current)?.level ?? 'none'} />
          )}
          <span className="tabular-nums">{thresholdLabel(now)}</span>
          {quiet ? (
            <ChevronDown aria-hidden="true" className="text-ink-3" />
          ) : (
            <ChevronsUpDown aria-hidden="true" className="ml-auto size-3.5 text-ink-3" />
          )}
        </>
      }
    >
      {thresholdOptions.map((option) => (
        <MenuChoice
          key={option.name}
          checked={current === option.name}
          icon={<SeverityGlyph level={option.level} />}
          onClick={() => choose(thresholdScores[option.name], option.label)}
        >
          {option.label}
        </MenuChoice>
      ))}
    </Menu>
  )
}
