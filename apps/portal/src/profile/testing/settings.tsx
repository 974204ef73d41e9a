/** Fixtures of the settings flow, and a harness that renders the profile page. */
import { type Flow, type Session as SessionValue, type UiNode, Session } from '@glacis/contract/identity'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { render } from '@testing-library/react'
import { flowQuery } from '#identity/lifecycle.ts'
import { otherSessionsQuery, sessionKey } from '#identity/session.ts'
import { flowOf, type PartialNode, readNodes } from '#lib/testing/flows.ts'
import { sessionOf } from '#lib/testing/service.ts'
import { ProfilePage } from '#profile/profile.tsx'

/** Shorthand for an input node. */
export const input = (
  group: string,
  name: string,
  type: string,
  label: string,
  more: object = {},
  context?: object,
): PartialNode => ({
  type: 'input',
  group,
  attributes: { name, type, ...more },
  label,
  ...(context && { context }),
})
/** The nodes of every account, plus `more`. */
export const settingsNodes = (...more: readonly PartialNode[]): UiNode[] =>
  readNodes([
    input('default', 'csrf_token', 'hidden', '', { value: 't' }),
    input('profile', 'traits.email', 'email', 'Email', { value: 'nora@example.ch', required: true }),
    input('profile', 'traits.name.first', 'text', 'First name', { value: 'Nora', required: true }),
    input('profile', 'traits.name.last', 'text', 'Last name', { value: 'Ammann', required: true }),
    input('profile', 'method', 'submit', 'Save', { value: 'profile' }),
    input('password', 'password', 'password', 'Password', { required: true }),
    input('password', 'method', 'submit', 'Save', { value: 'password' }),
    ...more,
  ])
/** A removable passkey. */
export const keys = [
  input('passkey', 'passkey_remove', 'submit', 'Remove passkey', { value: 'ab' }, { display_name: 'YubiKey 5C' }),
]

/** Renders the profile page for a session. Returns the router, which has no other routes. */
export function showProfile(
  nodes = settingsNodes(),
  session: SessionValue = Session.parse(sessionOf()),
  messages: Flow['ui']['messages'] = [],
) {
  const client = new QueryClient()
  client.setQueryData(sessionKey, session)
  client.setQueryData(otherSessionsQuery().queryKey, [])
  client.setQueryData(flowQuery('settings', 'flow-1').queryKey, flowOf(nodes, { state: 'show_form', messages }))
  const root = createRootRoute()
  const place = createRoute({ getParentRoute: () => root, path: '/', component: () => <ProfilePage flow="flow-1" /> })
  const router = createRouter({ routeTree: root.addChildren([place]), history: createMemoryHistory() })
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router as never} />
    </QueryClientProvider>,
  )
  return router
}
