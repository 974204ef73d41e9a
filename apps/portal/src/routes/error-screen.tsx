import { useQueryErrorResetBoundary } from '@tanstack/react-query'
import { type ErrorComponentProps, type LinkProps, useRouter } from '@tanstack/react-router'
import { SearchX } from 'lucide-react'
import { type ReactNode, useEffect, useEffectEvent } from 'react'
import { isFailure } from '#api/failure.ts'
import { IdentityFailure } from '#identity/failure.ts'
import { isServerReachable } from '#lib/server-reachable.ts'
import { UnknownId } from '#routes/guard.ts'
import { ButtonLink } from '#ui/button.tsx'
import { useDocumentTitle } from '#ui/page-head.tsx'
import { EmptyState, UnexpectedError } from '#ui/states.tsx'

/** How often to check whether an unreachable server is back, in milliseconds. */
const probeIntervalMs = 3000

/**
 * The error view of a page, with a retry button and the error message on demand. If the server was unreachable, retries once
 * it is back.
 */
export function ErrorScreen({ error, reset, plain = false }: ErrorComponentProps & { readonly plain?: boolean }) {
  const router = useRouter()
  useDocumentTitle('Something went wrong')
  const queries = useQueryErrorResetBoundary()
  const retry = () => {
    queries.reset()
    reset()
    void router.invalidate()
  }
  const isUnreachable = isFailure(error, 0)
  useWhenReachable(isUnreachable, retry)
  return <UnexpectedError error={error} isUnreachable={isUnreachable} onRetry={retry} plain={plain} />
}

function useWhenReachable(isWaiting: boolean, act: () => void): void {
  const onReachable = useEffectEvent(act)
  useEffect(() => {
    if (!isWaiting) return
    const timer = setInterval(() => void isServerReachable().then((isBack) => isBack && onReachable()), probeIntervalMs)
    return () => clearInterval(timer)
  }, [isWaiting])
}

/** The error view of a detail page, whose item may have been deleted. */
export function errorScreenOf(what: string, list: DeletedItemProps['list']) {
  return function DetailErrorScreen(props: ErrorComponentProps) {
    const { error } = props
    const isGone = error instanceof UnknownId || isFailure(error, 404) || isFailure(error, 400)
    return isGone ? <DeletedItem what={what} list={list} /> : <ErrorScreen {...props} />
  }
}

function NetworkNotAllowed({ reason }: Pick<IdentityFailure, 'reason'>) {
  const title = 'Network not allowed'
  useDocumentTitle(title)
  return (
    <section>
      <h1 tabIndex={-1} className="text-20 font-semibold tracking-title">
        {title}
      </h1>
      <p className="mt-1 text-14/5 text-ink-2">{reason}</p>
    </section>
  )
}

interface DeletedItemProps {
  readonly what: string
  readonly list: { readonly to: NonNullable<LinkProps['to']>; readonly label: string }
}
function DeletedItem({ what, list }: DeletedItemProps) {
  return <DeadEnd title={`${what.charAt(0).toUpperCase()}${what.slice(1)} not found`} {...list} />
}

interface DeadEndProps {
  readonly title: string
  readonly to: NonNullable<LinkProps['to']>
  readonly label: string
  readonly children?: ReactNode
}
function DeadEnd({ title, to, label, children }: DeadEndProps) {
  useDocumentTitle(title)
  return (
    <EmptyState
      isPage
      icon={<SearchX />}
      title={title}
      actions={
        <ButtonLink to={to} size="sm" variant="secondary">
          {label}
        </ButtonLink>
      }
    >
      {children}
    </EmptyState>
  )
}

/** The error view of the installation page, which most users can't open. */
export function AdministratorsOnly(props: ErrorComponentProps) {
  if (!isFailure(props.error, 403)) return <ErrorScreen {...props} />
  return (
    <DeadEnd title="Only administrators can open this page" to="/workspace" label="Open workspace settings">
      <p>To become one, ask an operator to run “npx glacis identity grant-admin” on the server.</p>
    </DeadEnd>
  )
}

/** The error view inside the auth layout. */
export function AuthErrorScreen(props: ErrorComponentProps) {
  const { error } = props
  if (error instanceof IdentityFailure && error.id === 'network_not_allowed')
    return <NetworkNotAllowed reason={error.reason} />
  return <ErrorScreen {...props} plain />
}
