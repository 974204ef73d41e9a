import { Outlet } from '@tanstack/react-router'
import { AuthLayout } from '#identity/auth-layout.tsx'

/** The auth layout around whatever the address asks for. */
export function AuthFrame() {
  return (
    <AuthLayout>
      <Outlet />
    </AuthLayout>
  )
}
