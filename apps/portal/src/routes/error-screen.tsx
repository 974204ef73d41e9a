import { useQueryErrorResetBoundary } from '@tanstack/react-query'
import { type ErrorComponentProps, type LinkProps, useRouter } from '@tanstack/react-router'
import { SearchX } from 'lucide-react'
import { isFailure } from '#api/failure.ts'
import { UnknownId } from '#routes/guard.ts'
import { ButtonLink } from '#ui/button.tsx'
import { useDocumentTitle } from '#ui/page-head.tsx'
import { EmptyState, UnexpectedError } from '#ui/states.tsx'

/** The error view of a page, with a retry button and the error message on demand. */
export function ErrorScreen({ error, reset, plain = false }: ErrorComponentProps & { readonly plain?: boolean }) {
  const router = useRouter()
  useDocumentTitle('Something went wrong')
  const queries = useQueryErrorResetBoundary()
  const retry = () => {
    queries.reset()
    reset()
    void router.invalidate()
  }
  return <UnexpectedError error={error} onRetry={retry} plain={plain} />
}

/** The error view of a detail page, whose item may have been deleted. */
export function errorScreenOf(what: string, list: DeletedItemProps['list']) {
  return function DetailErrorScreen(props: ErrorComponentProps) {
    const { error } = props
    const isGone = error instanceof UnknownId || isFailure(error, 404) || isFailure(error, 400)
    return isGone ? <DeletedItem what={what} list={list} /> : <ErrorScreen {...props} />
  }
}

interface DeletedItemProps {
  readonly what: string
  readonly list: { readonly to: NonNullable<LinkProps['to']>; readonly label: string }
}
function DeletedItem({ what, list }: DeletedItemProps) {
  const title = `This ${what} no longer exists`
  useDocumentTitle(title)
  return (
    <EmptyState
      isPage
      icon={<SearchX />}
      title={title}
      actions={
        <ButtonLink to={list.to} size="sm" variant="secondary">
          {list.label}
        </ButtonLink>
      }
    />
  )
}

/** The error view inside the auth layout. */
export function AuthErrorScreen(props: ErrorComponentProps) {
  return <ErrorScreen {...props} plain />
}
