/** Notifications at the bottom right of the page. */
import { CircleAlert, CircleCheck, Info, X } from 'lucide-react'
import { Fragment, type ReactNode, useEffect, useMemo, useRef } from 'react'
import { createPortal } from 'react-dom'
import { resolveValue, toast, useToaster } from 'react-hot-toast/headless'
import { cx } from '#lib/cx.ts'
import { isFocusLost, restoreFocus } from '#lib/focus.ts'
import { useKeys } from '#lib/keyboard.ts'
import { Button, IconButton } from '#ui/button.tsx'

export type ToastKind = 'success' | 'info' | 'error'
export interface ToastAction {
  /** A verb, for example "Undo". */
  readonly label: string
  readonly run: () => void
}
interface ToastContent {
  readonly title: string
  readonly message: string
  /** Each dismisses the toast, so at most one of them runs, once. The key `z` runs the first. */
  readonly actions?: readonly ToastAction[]
}
export interface ToastViewProps extends ToastContent {
  readonly kind: ToastKind
  readonly id: string
  readonly isLeaving: boolean
}

/** How long each kind is shown, in milliseconds. Errors stay until they are dismissed. */
export const toastMs: Readonly<Record<ToastKind, number>> = { success: 10_000, info: 10_000, error: Infinity }
/** Time between dismissal and removal, in milliseconds. Equal to `--gl-dur-toast-leave`. */
const removeDelay = 500
const shownMax = 4

/** Shows a toast. The same text without actions is shown only once at a time. */
export function addToast(kind: ToastKind, content: ToastContent, duration = toastMs[kind]): void {
  const id = content.actions ? {} : { id: `${content.title}\n${content.message}` }
  toast((shown) => <ToastView {...content} kind={kind} id={shown.id} isLeaving={!shown.visible} />, {
    ...id,
    duration,
    removeDelay,
  })
}

/**
 * The stack of toasts, with the newest at the bottom. Timers pause while the pointer or the focus is on it.
 * On a very low window, such as a page zoomed to 400%, toasts would cover the content: there they are above the page
 * and push it down.
 *
 * It is rendered beside the app, because an open dialog makes the app inert. Beside a panel it leaves the panel's
 * buttons uncovered.
 */
export function ToastRegion() {
  const { toasts, handlers } = useToaster()
  const hadFocus = useRef(false)
  useEffect(() => {
    for (const { id } of toasts.filter(({ visible }) => visible).slice(shownMax)) toast.dismiss(id)
  }, [toasts])
  useEffect(() => {
    // No event reports that the focused toast was removed.
    if (!hadFocus.current || !isFocusLost()) return
    hadFocus.current = false
    handlers.endPause()
    restoreFocus()
  }, [toasts, handlers])
  return createPortal(
    <section aria-label="Notifications" className="short:sticky short:top-0 short:-order-1 short:z-(--gl-z-toast)">
      <div
        role="presentation"
        onPointerEnter={handlers.startPause}
        onPointerLeave={handlers.endPause}
        onFocus={() => {
          handlers.startPause()
          hadFocus.current = true
        }}
        onBlur={handlers.endPause}
        className="fixed right-5 bottom-5 z-(--gl-z-toast) grid w-[min(372px,calc(100vw-32px))] gap-2.5 empty:hidden max-md:right-4 max-md:bottom-4 beside-panel:bottom-19 short:static short:max-h-[50dvh] short:w-full short:gap-1 short:overflow-y-auto short:bg-canvas short:p-1"
      >
        {toasts.toReversed().map((shown) => (
          <Fragment key={shown.id}>{resolveValue(shown.message, shown)}</Fragment>
        ))}
      </div>
    </section>,
    document.body,
  )
}

const icons: Readonly<Record<ToastKind, ReactNode>> = {
  success: <CircleCheck aria-hidden="true" className="mt-px size-4.5 text-green-mark" />,
  info: <Info aria-hidden="true" className="mt-px size-4.5 text-blue-mark" />,
  error: <CircleAlert aria-hidden="true" className="mt-px size-4.5 text-red-mark" />,
}

/** Screen readers announce errors immediately, other toasts when they are idle. */
function ToastView({ kind, id, isLeaving, title, message, actions }: ToastViewProps) {
  const live = useMemo(() => {
    if (isLeaving) return []
    return actions?.map(({ label, run }) => ({
      label,
      run: () => {
        toast.dismiss(id)
        run()
      },
    }))
  }, [id, actions, isLeaving])
  // The newest toast is added last, so its key is tried first.
  useKeys(useMemo(() => (live?.[0] ? { z: live[0].run } : {}), [live]))
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
        <IconButton size="xs" label="Dismiss" icon={<X />} onClick={() => toast.dismiss(id)} />
      </span>
      {message && <p className="col-start-2 wrap-anywhere text-ink-2">{message}</p>}
      {actions && (
        <span className="col-start-2 mt-1.5 flex gap-2">
          {actions.map(({ label }, index) => (
            <Button key={label} size="xs" onClick={live?.[index]?.run}>
              {label}
            </Button>
          ))}
        </span>
      )}
    </div>
  )
}
