import { CircleAlert, CircleCheck, Info, X } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { createPortal } from 'react-dom'
import { cx } from '#lib/cx.ts'
import { isFocusLost, regainFocus } from '#lib/focus.ts'
import { type Keys, useKeys } from '#lib/keyboard.ts'
import {
  dismissToast,
  pauseToasts,
  resumeToasts,
  shownToasts,
  type Toast,
  type ToastKind,
  useToasts,
} from '#lib/toasts.ts'
import { Button, IconButton } from '#ui/button.tsx'

const icons: Readonly<Record<ToastKind, ReactNode>> = {
  success: <CircleCheck aria-hidden="true" className="mt-px size-4.5 text-green-mark" />,
  info: <Info aria-hidden="true" className="mt-px size-4.5 text-blue-mark" />,
  error: <CircleAlert aria-hidden="true" className="mt-px size-4.5 text-red-mark" />,
}

/** Its button is far from where one is, and it does not stand for long. */
const keys: Keys = {
  z: () => {
    const newest = shownToasts().findLast(({ action, isLeaving }) => action && !isLeaving)
    if (newest) take(newest)
  },
}

function take({ id, action }: Pick<Toast, 'id' | 'action'>): void {
  dismissToast(id)
  action?.run()
}

/**
 * The notices, stacked at the bottom right, newest at the bottom. The clocks stop while one is read.
 * On a very low window, such as a page magnified four times, they would cover what one works with:
 * there they stand above the page and move it down.
 *
 * They stand beside the page, not in it: an open dialog shuts the page, and what it says of a failure must be heard and
 * can be dismissed. Beside a panel they keep clear of its buttons.
 */
export function ToastRegion() {
  const toasts = useToasts()
  useKeys(keys)
  const heldFocus = useRef(false)
  useEffect(() => {
    // The notice that somebody stood on is gone.
    if (!heldFocus.current || !isFocusLost()) return
    heldFocus.current = false
    regainFocus()
  }, [toasts])
  return createPortal(
    <section aria-label="Notifications" className="short:sticky short:top-0 short:-order-1 short:z-(--gl-z-toast)">
      <div
        role="presentation"
        onPointerEnter={pauseToasts}
        onPointerLeave={resumeToasts}
        onFocus={() => {
          pauseToasts()
          heldFocus.current = true
        }}
        onBlur={resumeToasts}
        className="fixed right-5 bottom-5 z-(--gl-z-toast) grid w-[min(372px,calc(100vw-32px))] gap-2.5 empty:hidden max-md:right-4 max-md:bottom-4 beside-panel:bottom-19 short:static short:max-h-[50dvh] short:w-full short:gap-1 short:overflow-y-auto short:bg-canvas short:p-1"
      >
        {toasts.map((toast) => (
          <ToastView key={toast.id} toast={toast} />
        ))}
      </div>
    </section>,
    document.body,
  )
}

/** One notice. Errors interrupt a reader, the others wait. */
export function ToastView({ toast: { id, kind, title, message, action, isLeaving } }: { readonly toast: Toast }) {
  return (
    <div
      role={kind === 'error' ? 'alert' : 'status'}
      className={cx(
        'grid grid-cols-[18px_minmax(0,1fr)_auto] gap-x-2.5 gap-y-0.5 rounded-lg bg-raised py-3 pr-2.5 pl-3.5 shadow-menu',
        'transition-[opacity,translate] duration-(--gl-dur-toast-leave) starting:translate-x-(--gl-nudge) starting:opacity-0',
        isLeaving && 'translate-x-(--gl-nudge) opacity-0',
      )}
    >
      {icons[kind]}
      <p className="leading-5 font-semibold">{title}</p>
      <span className="col-start-3 row-span-2 row-start-1 -mt-1">
        <IconButton size="xs" label="Dismiss" icon={<X />} onClick={() => dismissToast(id)} />
      </span>
      {message && <p className="col-start-2 wrap-anywhere text-ink-2">{message}</p>}
      {action && (
        <span className="col-start-2 mt-1.5">
          <Button size="xs" onClick={() => take({ id, action })}>
            {action.label}
          </Button>
        </span>
      )}
    </div>
  )
}
