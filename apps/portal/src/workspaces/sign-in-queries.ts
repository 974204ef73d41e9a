/** Queries and mutations of the workspace's sign-in provider. Separate from `queries.ts`, which every page loads. */
import type { InputOf } from '@glacis/contract/endpoint'
import {
  deleteSignInProvider,
  findSignInProvider,
  getSignInProvider,
  setSignInProvider,
} from '@glacis/contract/sign-in-provider'
import { mutationOptions, queryOptions } from '@tanstack/react-query'
import { call } from '#api/call.ts'
import { query } from '#api/query.ts'

export function signInProvider() {
  return query(getSignInProvider, {})
}

/** The provider of a workspace, without a session. */
export const providerOf = (workspaceId: string) =>
  queryOptions({
    queryKey: ['findSignInProvider', workspaceId],
    queryFn: () => call(findSignInProvider, { workspaceId }),
  })

export const saveProvider = mutationOptions({
  mutationFn: (input: InputOf<typeof setSignInProvider>) => call(setSignInProvider, input),
})

export const removeProvider = mutationOptions({ mutationFn: () => call(deleteSignInProvider, {}) })
