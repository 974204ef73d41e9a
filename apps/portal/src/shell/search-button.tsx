import { Search } from 'lucide-react'
import { pressKey } from '#lib/keyboard.ts'
import { type ButtonSize, IconButton } from '#ui/button.tsx'

/** Opens the command palette, as Ctrl K does. */
export function SearchButton({
  size = 'md',
  className = '',
}: {
  readonly size?: ButtonSize
  readonly className?: string
}) {
  return (
    <IconButton
      size={size}
      className={className}
      label="Search (Ctrl K)"
      aria-keyshortcuts="Control+K Meta+K"
      icon={<Search />}
      onClick={() => pressKey('mod+k')}
    />
  )
}
