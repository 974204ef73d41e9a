import { Outlet } from '@tanstack/react-router'
import { AuthLayout } from '#identity/auth-layout.tsx'

/** The auth layout around the matched public page. */
export function AuthFrame() {
  return (
    <AuthLayout>
      <Outlet />
    </AuthLayout>
  )
}
