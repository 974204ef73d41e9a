import { getRouteApi } from '@tanstack/react-router'
import { ProfilePage as Profile } from '#profile/profile.tsx'

const route = getRouteApi('/_auth/profile')

/** `/profile` */
export function ProfilePage() {
  return <Profile flow={route.useSearch().flow} />
}
