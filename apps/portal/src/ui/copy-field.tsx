import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { copyText } from '#lib/copy-text.ts'
import { cx } from '#lib/cx.ts'
import { IconButton } from '#ui/button.tsx'

/** How long a copy button shows "Copied", in milliseconds. */
export const copiedLabelMs = 2500

/** A read-only text with a copy button. `wrap` shows long texts in full, such as a command. */
export function CopyField({
  label,
  value,
  wrap = false,
}: {
  readonly label: string
  readonly value: string
  readonly wrap?: boolean
}) {
  const { isCopied, copy } = useCopy(value)
  return (
    <div className="flex items-stretch overflow-hidden rounded-md border border-line-strong bg-inset">
      <code
        aria-label={label}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable areas must be keyboard accessible
        tabIndex={wrap ? 0 : undefined}
        className={cx(
          'min-w-0 flex-1 px-3 py-2 font-mono text-[12.5px]/5',
          wrap
            ? 'max-h-52 overflow-y-auto wrap-anywhere whitespace-pre-wrap focus-visible:-outline-offset-2'
            : 'truncate',
        )}
      >
        {value}
      </code>
      <button
        type="button"
        onClick={copy}
        aria-label={isCopied ? 'Copied' : `Copy ${label}`}
        className={cx(
          'inline-flex flex-none items-center justify-center gap-[7px] border-l border-line-strong text-14/5 font-medium focus-visible:-outline-offset-2',
          isCopied ? 'bg-green-tint px-3 text-green-ink' : 'w-[38px] text-ink-2 hover:bg-active hover:text-ink',
        )}
      >
        {isCopied ? <Check className="size-4" /> : <Copy className="size-4" />}
        {isCopied && 'Copied'}
      </button>
      <output className="sr-only">{isCopied ? 'Copied' : ''}</output>
    </div>
  )
}

/** A small button that copies text shown elsewhere. */
export function CopyButton({ label, value }: { readonly label: string; readonly value: string }) {
  const { isCopied, copy } = useCopy(value)
  return (
    <IconButton
      size="xs"
      label={isCopied ? 'Copied' : label}
      icon={isCopied ? <Check className="text-green-ink" /> : <Copy />}
      onClick={copy}
    />
  )
}

function useCopy(value: string) {
  const [copiedAt, setCopiedAt] = useState(0)
  useEffect(() => {
    if (!copiedAt) return
    const timer = setTimeout(() => setCopiedAt(0), copiedLabelMs)
    return () => clearTimeout(timer)
  }, [copiedAt])
  async function copy(): Promise<void> {
    await copyText(value)
    setCopiedAt(Date.now())
  }
  return { isCopied: copiedAt > 0, copy: () => void copy() }
}
