import { cx } from '#lib/cx.ts'

/** A tile with the user's initials. */
export function Avatar({ name, large = false }: { readonly name: string; readonly large?: boolean }) {
  return (
    <span
      aria-hidden="true"
      data-initials={initials(name)}
      className={cx(
        'grid flex-none before:content-[attr(data-initials)] place-items-center bg-main-tint font-semibold tracking-[.01em] text-main-ink inset-ring inset-ring-main-edge',
        large ? 'size-12 rounded-[12px] text-[17px]' : 'size-7 rounded-[8px] text-12',
      )}
    />
  )
}

function initials(name: string): string {
  const names = name.split(/\s+/).filter(Boolean)
  const [first = '', last = ''] = [names[0], names.length > 1 ? names.at(-1) : '']
  return (Array.from(first)[0] ?? '').concat(Array.from(last)[0] ?? '').toUpperCase()
}
