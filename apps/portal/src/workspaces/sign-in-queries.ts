/** Queries and mutations of the workspace's sign-in provider. Apart from `queries.ts`, which every page loads. */
import type { InputOf } from '@glacis/contract/endpoint'
import { deleteSignInProvider, getSignInProvider, setSignInProvider } from '@glacis/contract/sign-in-provider'
import { mutationOptions } from '@tanstack/react-query'
import { call } from '#api/call.ts'
import { query } from '#api/query.ts'

export function signInProvider() {
  return query(getSignInProvider, {})
}

export const saveProvider = mutationOptions({
  mutationFn: (provider: InputOf<typeof setSignInProvider>['provider']) => call(setSignInProvider, { provider }),
})

export const removeProvider = mutationOptions({ mutationFn: () => call(deleteSignInProvider, {}) })
