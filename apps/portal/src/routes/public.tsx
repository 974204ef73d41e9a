/** Public routes, inside the auth layout. */
import type { QueryClient } from '@tanstack/react-query'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import type { z } from 'zod/mini'
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

interface FlowLoaderInput<Search> {
  readonly context: { readonly queryClient: QueryClient }
  readonly deps: Search
  readonly location: { readonly href: string }
}
/** Options of a route that opens the flow in its address, or creates one. */
const openingFlow = <Search extends { readonly flow?: string | undefined }>(
  kind: 'login' | 'registration' | 'recovery' | 'verification',
  newFlow: (search: Search) => Readonly<Record<string, string | undefined>>,
) => ({
  loaderDeps: ({ search }: { readonly search: Search }) => search,
  // Hovering a link must not start a flow.
  preload: false,
  loader: async ({ context, deps: search, location }: FlowLoaderInput<Search>): Promise<void> =>
    void (await openFlow(context.queryClient, {
      kind,
      page: `/${kind}`,
      search,
      newFlow: newFlow(search),
      here: absoluteUrl(location.href),
    })),
  errorComponent,
})

export const login = createRoute({
  getParentRoute,
  path: 'login',
  validateSearch: strictSearch(LoginSearch),
  ...openingFlow('login', ({ aal, return_to }: z.output<typeof LoginSearch>) => ({ refresh: 'true', aal, return_to })),
  component: lazyRouteComponent(flowPages, 'LoginPage'),
})

export const registration = createRoute({
  getParentRoute,
  path: 'registration',
  validateSearch: strictSearch(FlowSearch),
  ...openingFlow('registration', ({ return_to }: z.output<typeof FlowSearch>) => ({
    return_to,
    after_verification_return_to: return_to ?? absoluteUrl('/overview'),
  })),
  component: lazyRouteComponent(flowPages, 'RegistrationPage'),
})

export const recovery = createRoute({
  getParentRoute,
  path: 'recovery',
  validateSearch: strictSearch(FlowSearch),
  ...openingFlow('recovery', ({ return_to }: z.output<typeof FlowSearch>) => ({ return_to })),
  component: lazyRouteComponent(flowPages, 'RecoveryPage'),
})

export const verification = createRoute({
  getParentRoute,
  path: 'verification',
  validateSearch: strictSearch(CodeFlowSearch),
  ...openingFlow('verification', ({ return_to }: z.output<typeof CodeFlowSearch>) => ({ return_to })),
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
