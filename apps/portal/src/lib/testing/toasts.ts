import { act } from '@testing-library/react'
import { createElement, isValidElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { resolveValue, toast, useToasterStore } from 'react-hot-toast/headless'
import type { ToastViewProps } from '#ui/toasts.tsx'

/** The toasts currently shown, oldest first. */
export function shownToasts(): readonly ToastViewProps[] {
  const shown: ToastViewProps[] = []
  function Reader() {
    for (const toast of useToasterStore().toasts) {
      const view = resolveValue(toast.message, toast)
      if (isValidElement<ToastViewProps>(view)) shown.unshift(view.props)
    }
    return null
  }
  // Rendered without effects, because unmounting a second subscriber would unsubscribe the page's own.
  renderToStaticMarkup(createElement(Reader))
  return shown
}

/** Removes all toasts, so that the next test starts without any. */
export function clearToasts(): void {
  act(() => toast.remove())
}
