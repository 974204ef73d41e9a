/** Public routes, inside the auth layout. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { getStoredError, logout } from '#identity/client.ts'
import { IdentityFailure } from '#identity/failure.ts'
import { openFlow } from '#identity/lifecycle.ts'
import { AuthErrorScreen } from '#routes/error-screen.tsx'
import { absoluteUrl, continueAtProvider, requireSession } from '#routes/guard.ts'
import { rootRoute } from '#routes/root.tsx'
import {
  CodeFlowSearch,
  ErrorSearch,
  FlowSearch,
  InvitationSearch,
  LoginSearch,
  LogoutSearch,
  SingleSignOnSearch,
  strictSearch,
} from '#routes/search.ts'

export const publicRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: '_public',
  component: lazyRouteComponent(() => import('#routes/auth-frame.tsx'), 'AuthFrame'),
})
const getParentRoute = () => publicRoute
const errorComponent = AuthErrorScreen
const flowPages = () => import('#routes/flow-pages.tsx')

const index = createRoute({
  getParentRoute,
  path: '/',
  component: lazyRouteComponent(() => import('#identity/welcome.tsx'), 'WelcomeScreen'),
  errorComponent,
})

export const login = createRoute({
  getParentRoute,
  path: 'login',
  validateSearch: strictSearch(LoginSearch),
  loaderDeps: ({ search }) => search,
  // Hovering a link must not start a flow.
  preload: false,
  loader: async ({ context, deps: search, location }) =>
    void (await openFlow(context.queryClient, {
      kind: 'login',
      page: '/login',
      search,
      newFlow: { refresh: 'true', aal: search.aal, return_to: search.return_to },
      here: absoluteUrl(location.href),
    })),
  errorComponent,
  component: lazyRouteComponent(flowPages, 'LoginPage'),
})

export const registration = createRoute({
  getParentRoute,
  path: 'registration',
  validateSearch: strictSearch(FlowSearch),
  loaderDeps: ({ search }) => search,
  preload: false,
  loader: async ({ context, deps: search, location }) =>
    void (await openFlow(context.queryClient, {
      kind: 'registration',
      page: '/registration',
      search,
      newFlow: {
        return_to: search.return_to,
        after_verification_return_to: search.return_to ?? absoluteUrl('/overview'),
      },
      here: absoluteUrl(location.href),
    })),
  errorComponent,
  component: lazyRouteComponent(flowPages, 'RegistrationPage'),
})

export const recovery = createRoute({
  getParentRoute,
  path: 'recovery',
  validateSearch: strictSearch(FlowSearch),
  loaderDeps: ({ search }) => search,
  preload: false,
  loader: async ({ context, deps: search, location }) =>
    void (await openFlow(context.queryClient, {
      kind: 'recovery',
      page: '/recovery',
      search,
      newFlow: { return_to: search.return_to },
      here: absoluteUrl(location.href),
    })),
  errorComponent,
  component: lazyRouteComponent(flowPages, 'RecoveryPage'),
})

export const verification = createRoute({
  getParentRoute,
  path: 'verification',
  validateSearch: strictSearch(CodeFlowSearch),
  loaderDeps: ({ search }) => search,
  preload: false,
  loader: async ({ context, deps: search, location }) =>
    void (await openFlow(context.queryClient, {
      kind: 'verification',
      page: '/verification',
      search,
      newFlow: { return_to: search.return_to },
      here: absoluteUrl(location.href),
    })),
  errorComponent,
  component: lazyRouteComponent(flowPages, 'VerificationPage'),
})

const logoutRoute = createRoute({
  getParentRoute,
  path: 'logout',
  preload: false,
  validateSearch: strictSearch(LogoutSearch),
  loaderDeps: ({ search }) => search,
  loader: async ({ context, deps: { return_to }, preload, navigate }) => {
    if (preload) return
    await logout(absoluteUrl('/login'))
    context.queryClient.clear()
    await navigate({ to: '/login', search: { return_to }, replace: true })
  },
  errorComponent,
})

const invitation = createRoute({
  getParentRoute,
  path: 'invitation',
  validateSearch: strictSearch(InvitationSearch),
  beforeLoad: ({ context, location }) => requireSession(context.queryClient, location.href),
  errorComponent,
  component: lazyRouteComponent(() => import('#routes/invitation-page.tsx'), 'InvitationScreen'),
})

/** Continues at the provider of a workspace once there is a session of the external identity service. */
const singleSignOn = createRoute({
  getParentRoute,
  path: 'single-sign-on',
  preload: false,
  validateSearch: strictSearch(SingleSignOnSearch),
  beforeLoad: async ({ context, location, search }) => {
    if (search.reason) return
    await requireSession(context.queryClient, location.href)
    throw continueAtProvider(search.workspace, search.return_to)
  },
  errorComponent,
  component: lazyRouteComponent(() => import('#routes/single-sign-on-page.tsx'), 'SingleSignOnScreen'),
})

export const flowError = createRoute({
  getParentRoute,
  path: 'error',
  validateSearch: strictSearch(ErrorSearch),
  loaderDeps: ({ search }) => search,
  loader: ({ deps: { id } }) =>
    getStoredError(id).catch((error: unknown) => {
      // IDs that the service hasn't stored, such as error names, still get the error page.
      if (error instanceof IdentityFailure) return null
      throw error
    }),
  errorComponent,
  component: lazyRouteComponent(flowPages, 'FlowErrorPage'),
})

export const publicBranch = publicRoute.addChildren([
  index,
  login,
  registration,
  recovery,
  verification,
  logoutRoute,
  flowError,
  invitation,
  singleSignOn,
])
