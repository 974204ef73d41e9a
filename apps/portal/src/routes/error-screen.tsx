import { useQueryErrorResetBoundary } from '@tanstack/react-query'
import { type ErrorComponentProps, type LinkProps, useRouter } from '@tanstack/react-router'
import { SearchX } from 'lucide-react'
import { isFailure } from '#api/failure.ts'
import { ButtonLink } from '#ui/button.tsx'
import { EmptyState, UnexpectedError } from '#ui/states.tsx'

/** The view of a page that failed: try again, or see why. */
export function ErrorScreen({ error, reset, plain = false }: ErrorComponentProps & { readonly plain?: boolean }) {
  const router = useRouter()
  const queries = useQueryErrorResetBoundary()
  const retry = () => {
    queries.reset()
    reset()
    void router.invalidate()
  }
  return <UnexpectedError error={error} onRetry={retry} plain={plain} />
}

/** The same for the page of one thing, which may have been deleted. */
export function errorScreenOf(
  what: string,
  list: { readonly to: NonNullable<LinkProps['to']>; readonly label: string },
) {
  return function DetailErrorScreen(props: ErrorComponentProps) {
    if (!isFailure(props.error, 404) && !isFailure(props.error, 400)) return <ErrorScreen {...props} />
    return (
      <EmptyState
        icon={<SearchX />}
        title={`This ${what} no longer exists`}
        actions={
          <ButtonLink to={list.to} size="sm" variant="secondary">
            {list.label}
          </ButtonLink>
        }
      />
    )
  }
}

/** The same inside the auth layout, which gives it its place. */
export function AuthErrorScreen(props: ErrorComponentProps) {
  return <ErrorScreen {...props} plain />
}
