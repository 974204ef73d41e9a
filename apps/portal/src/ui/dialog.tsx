import { X } from 'lucide-react'
import { type ReactNode, Suspense, useLayoutEffect, useState } from 'react'
import { cx } from '#lib/cx.ts'
import { IconButton } from '#ui/button.tsx'
import { useHeadless } from '#ui/headless.ts'
import { Note } from '#ui/note.tsx'

interface OverlayProps {
  readonly open: boolean
  readonly onClose: () => void
  /** Names the action ("Remove passkey"), not "Confirm". */
  readonly title: string
  readonly description?: ReactNode
  /** While true, Escape and clicks outside don't close it. */
  readonly busy?: boolean
  readonly children?: ReactNode
  /** What failed and what to do about it. Shown inside, where toasts don't cover it. */
  readonly problem?: string | undefined
  /** Buttons, Cancel first. */
  readonly footer?: ReactNode
}

const scrim =
  'fixed inset-0 z-(--gl-z-scrim) bg-scrim transition-opacity duration-(--gl-dur-slow) ease-out data-closed:opacity-0'

type DialogProps = OverlayProps & { readonly wide?: boolean }

/** A centered modal dialog. Traps focus and returns it to the element that opened it. */
export function Dialog(props: DialogProps) {
  if (!useWasOpened(props.open)) return null
  return (
    <Suspense fallback={null}>
      <UsedDialog {...props} />
    </Suspense>
  )
}

/** True once it has been opened. It then stays mounted, so that its closing animation can run. */
function useWasOpened(open: boolean): boolean {
  const [wasOpen, setWasOpen] = useState(open)
  if (open && !wasOpen) setWasOpen(true)
  return wasOpen || open
}

/** Resolves when the last closed overlay has released the page. */
let lastOverlayReleased = Promise.resolve()

/**
 * Delays opening. Headless UI makes the page inert only if the overlay was mounted closed first. An overlay that
 * replaces another must wait, or the other would make the page interactive again and restore focus behind this one.
 */
export function useDeferredOpen(open: boolean): boolean {
  const [hasTurn, setHasTurn] = useState(false)
  useLayoutEffect(() => {
    if (!open) return
    let isWanted = true
    void lastOverlayReleased.then(() => isWanted && setHasTurn(true))
    return () => {
      isWanted = false
      setHasTurn(false)
      lastOverlayReleased = new Promise((resolve) => setTimeout(resolve))
    }
  }, [open])
  return open && hasTurn
}

function UsedDialog(props: DialogProps) {
  const { open, onClose, title, description, busy = false, wide = false, children, problem, footer } = props
  // Before any suspending call: React loses track of hooks called after one.
  const isOpen = useDeferredOpen(open)
  const { Dialog: Root, DialogBackdrop, DialogPanel, DialogTitle, Description } = useHeadless()
  return (
    <Root open={isOpen} onClose={busy ? () => {} : onClose} className="relative z-(--gl-z-overlay)">
      <DialogBackdrop transition className={scrim} />
      <div className="fixed inset-0 z-(--gl-z-overlay) grid place-items-center overflow-y-auto p-4">
        <DialogPanel
          transition
          data-floating
          className={cx(
            'w-full rounded-xl bg-raised shadow-dialog transition-[opacity,translate] duration-(--gl-dur-slow) ease-out data-closed:translate-y-(--gl-nudge) data-closed:opacity-0',
            wide ? 'max-w-[36rem]' : 'max-w-dialog',
          )}
        >
          <div className="flex items-start gap-3 pt-5 pr-5 pl-6">
            <div className="min-w-0">
              <DialogTitle className="text-16 font-semibold tracking-[-.01em] wrap-anywhere">{title}</DialogTitle>
              {description && <Description className="mt-0.5 text-pretty text-ink-2">{description}</Description>}
            </div>
            <span className="-mt-0.5 ml-auto">
              <IconButton size="sm" label="Close" icon={<X />} disabled={busy} onClick={onClose} />
            </span>
          </div>
          {children && <div className="px-6 pt-4 pb-1">{children}</div>}
          {problem && (
            <div className="px-6 pt-4">
              <Note variant="red">{problem}</Note>
            </div>
          )}
          {footer && <div className="flex flex-wrap justify-end gap-2 px-6 py-5">{footer}</div>}
        </DialogPanel>
      </div>
    </Root>
  )
}

/**
 * A panel from the right with header, scrolling body, and fixed footer, for creating and editing. Pass a `form` as
 * children and its buttons as `footer` with the form's ID, or everything in `children`.
 */
export function SlideOver(props: OverlayProps) {
  if (!useWasOpened(props.open)) return null
  return (
    <Suspense fallback={null}>
      <UsedSlideOver {...props} />
    </Suspense>
  )
}

function UsedSlideOver(props: OverlayProps) {
  const { open, onClose, title, description, busy = false, children, problem, footer } = props
  // Before any suspending call: React loses track of hooks called after one.
  const isOpen = useDeferredOpen(open)
  const { Dialog: Root, DialogBackdrop, DialogPanel, DialogTitle, Description } = useHeadless()
  return (
    <Root open={isOpen} onClose={busy ? () => {} : onClose} className="relative z-(--gl-z-overlay)">
      <DialogBackdrop transition className={scrim} />
      <DialogPanel
        transition
        data-floating
        data-panel
        className="fixed inset-y-0 right-0 z-(--gl-z-overlay) flex w-full max-w-slideover flex-col short:overflow-y-auto bg-raised shadow-panel transition-[opacity,translate] duration-(--gl-dur-slow) ease-out data-closed:translate-x-(--gl-slide) data-closed:opacity-0"
      >
        <div className="flex items-start gap-3 border-b border-line pt-5 pr-5 pb-4 pl-6 dark:border-line-strong">
          <div className="min-w-0">
            <DialogTitle className="text-16 font-semibold tracking-[-.01em] wrap-anywhere">{title}</DialogTitle>
            {description && <Description className="text-pretty text-ink-2">{description}</Description>}
          </div>
          <span className="-mt-0.5 ml-auto">
            <IconButton size="sm" label="Close panel" icon={<X />} disabled={busy} onClick={onClose} />
          </span>
        </div>
        {problem && (
          <div className="px-6 pt-4">
            <Note variant="red">{problem}</Note>
          </div>
        )}
        <div className="flex-1 overflow-y-auto px-6 py-5 short:flex-none short:overflow-visible">{children}</div>
        {footer && (
          <div className="flex justify-end gap-2 border-t border-line px-6 py-3.5 dark:border-line-strong">
            {footer}
          </div>
        )}
      </DialogPanel>
    </Root>
  )
}
