/** The routes that anyone may open, inside the auth layout. */
import { createRoute, Outlet } from '@tanstack/react-router'
import { AuthLayout } from '#identity/auth-layout.tsx'
import { getStoredError, logout } from '#identity/client.ts'
import { FlowErrorScreen } from '#identity/error-screen.tsx'
import { IdentityFailure } from '#identity/failure.ts'
import { openFlow } from '#identity/lifecycle.ts'
import { LoginScreen, RecoveryScreen, RegistrationScreen, VerificationScreen } from '#identity/screens.tsx'
import { WelcomeScreen } from '#identity/welcome.tsx'
import { ErrorScreen } from '#routes/error-screen.tsx'
import { addressOf } from '#routes/guard.ts'
import { rootRoute } from '#routes/root.tsx'
import { CodeFlowSearch, ErrorSearch, FlowSearch, LoginSearch } from '#routes/search.ts'

export const publicRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: '_public',
  component: () => (
    <AuthLayout>
      <Outlet />
    </AuthLayout>
  ),
})
const getParentRoute = () => publicRoute
const errorComponent = ErrorScreen

export const index = createRoute({ getParentRoute, path: '/', component: WelcomeScreen, errorComponent })

export const login = createRoute({
  getParentRoute,
  path: 'login',
  validateSearch: LoginSearch,
  loaderDeps: ({ search }) => search,
  // A link that is merely hovered must not start a flow.
  preload: false,
  loader: ({ context, deps: search, location }) =>
    openFlow(context.queryClient, {
      kind: 'login',
      page: '/login',
      search,
      newFlow: { refresh: 'true', aal: search.aal, return_to: search.return_to },
      here: addressOf(location.href),
    }),
  errorComponent,
  component: function Login() {
    const { return_to: returnTo } = login.useSearch()
    return <LoginScreen flow={login.useLoaderData().id} returnTo={returnTo} />
  },
})

export const registration = createRoute({
  getParentRoute,
  path: 'registration',
  validateSearch: FlowSearch,
  loaderDeps: ({ search }) => search,
  preload: false,
  loader: ({ context, deps: search, location }) =>
    openFlow(context.queryClient, {
      kind: 'registration',
      page: '/registration',
      search,
      newFlow: {
        return_to: search.return_to,
        after_verification_return_to: search.return_to ?? addressOf('/overview'),
      },
      here: addressOf(location.href),
    }),
  errorComponent,
  component: function Registration() {
    const { return_to: returnTo } = registration.useSearch()
    return <RegistrationScreen flow={registration.useLoaderData().id} returnTo={returnTo} />
  },
})

export const recovery = createRoute({
  getParentRoute,
  path: 'recovery',
  validateSearch: FlowSearch,
  loaderDeps: ({ search }) => search,
  preload: false,
  loader: ({ context, deps: search, location }) =>
    openFlow(context.queryClient, {
      kind: 'recovery',
      page: '/recovery',
      search,
      newFlow: { return_to: search.return_to },
      here: addressOf(location.href),
    }),
  errorComponent,
  component: function Recovery() {
    const { return_to: returnTo } = recovery.useSearch()
    return <RecoveryScreen flow={recovery.useLoaderData().id} returnTo={returnTo} />
  },
})

export const verification = createRoute({
  getParentRoute,
  path: 'verification',
  validateSearch: CodeFlowSearch,
  loaderDeps: ({ search }) => search,
  preload: false,
  loader: ({ context, deps: search, location }) =>
    openFlow(context.queryClient, {
      kind: 'verification',
      page: '/verification',
      search,
      newFlow: { return_to: search.return_to },
      here: addressOf(location.href),
    }),
  errorComponent,
  component: function Verification() {
    const { return_to: returnTo } = verification.useSearch()
    return <VerificationScreen flow={verification.useLoaderData().id} returnTo={returnTo} />
  },
})

export const logoutRoute = createRoute({
  getParentRoute,
  path: 'logout',
  preload: false,
  loader: async ({ context, preload, navigate }) => {
    if (preload) return
    await logout(addressOf('/login'))
    context.queryClient.clear()
    await navigate({ to: '/login', replace: true })
  },
  errorComponent,
})

export const flowError = createRoute({
  getParentRoute,
  path: 'error',
  validateSearch: ErrorSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ deps: { id } }) =>
    getStoredError(id).catch((error: unknown) => {
      // An id that the service has not stored, such as the name of an error, still gets its page.
      if (error instanceof IdentityFailure) return null
      throw error
    }),
  errorComponent,
  component: function FlowError() {
    return <FlowErrorScreen id={flowError.useSearch().id} stored={flowError.useLoaderData()} />
  },
})

export const publicBranch = publicRoute.addChildren([
  index,
  login,
  registration,
  recovery,
  verification,
  logoutRoute,
  flowError,
])
