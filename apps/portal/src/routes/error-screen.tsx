import { useQueryErrorResetBoundary } from '@tanstack/react-query'
import { type ErrorComponentProps, type LinkProps, useRouter } from '@tanstack/react-router'
import { SearchX } from 'lucide-react'
import { isFailure } from '#api/failure.ts'
import { ButtonLink } from '#ui/button.tsx'
import { EmptyState, UnexpectedError } from '#ui/states.tsx'

/** The view of a page that failed: try again, or see why. */
export function ErrorScreen({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const queries = useQueryErrorResetBoundary()
  const retry = () => {
    queries.reset()
    reset()
    void router.invalidate()
  }
  return <UnexpectedError error={error} onRetry={retry} />
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
