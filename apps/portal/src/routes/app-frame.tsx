import { lazy, Suspense } from 'react'
import { AppShell } from '#shell/app-shell.tsx'
import { useAccessLost } from '#workspaces/queries.ts'

const AccessLostPage = lazy(async () => ({ default: (await import('#workspaces/access-lost.tsx')).AccessLostPage }))

/** The app, or why this user has no access to the workspace. */
export function AppFrame() {
  const failure = useAccessLost()
  if (!failure) return <AppShell />
  return (
    <Suspense>
      <AccessLostPage failure={failure} />
    </Suspense>
  )
}
