/** The comment field of a risk, opened from anywhere in the app. */
import { useLocation, useNavigate } from '@tanstack/react-router'
import { type RefObject, useEffect } from 'react'
import type { ToastAction } from '#ui/toasts.tsx'

const hash = 'comment'

/**
 * Creates the toast action that offers a comment after a risk was resolved. Ignoring asks for one in its dialog;
 * resolving takes effect immediately.
 */
export function useCommentAction(): (issueId: string) => ToastAction {
  const navigate = useNavigate()
  return (id) => ({ label: 'Comment', run: () => void navigate({ to: '/risks/$id', params: { id }, hash }) })
}

/** Focuses the field each time the page is opened by that action, also if it is already open. */
export function useCommentFocus(field: RefObject<HTMLTextAreaElement | null>): void {
  const location = useLocation()
  useEffect(() => {
    if (location.hash === hash) field.current?.focus()
  }, [location, field])
}
