import { getRouteApi } from '@tanstack/react-router'
import { InvitationPage } from '#workspaces/invitation-page.tsx'

const route = getRouteApi('/_public/invitation')

/** `/invitation` */
export function InvitationScreen() {
  return <InvitationPage token={route.useSearch().token} />
}
