import { getRouteApi } from '@tanstack/react-router'
import { SingleSignOnPage } from '#workspaces/single-sign-on-page.tsx'

const route = getRouteApi('/_public/single-sign-on')

/** `/single-sign-on` after a failure */
export function SingleSignOnScreen() {
  const { workspace, reason, return_to: returnTo } = route.useSearch()
  return reason && <SingleSignOnPage workspace={workspace} reason={reason} returnTo={returnTo} />
}
