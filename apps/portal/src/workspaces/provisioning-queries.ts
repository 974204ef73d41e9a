/** Queries and mutations of SCIM provisioning. Separate from `queries.ts`, which every page loads. */
import type { InputOf } from '@glacis/contract/endpoint'
import {
  createProvisioningToken,
  deleteProvisioningToken,
  getProvisioning,
  updateProvisioning,
} from '@glacis/contract/provisioning'
import { mutationOptions } from '@tanstack/react-query'
import { call } from '#api/call.ts'
import { query } from '#api/query.ts'

export function provisioning() {
  return query(getProvisioning, {})
}

export const saveProvisioning = mutationOptions({
  mutationFn: (change: Omit<InputOf<typeof updateProvisioning>, 'updateMask'>) =>
    call(updateProvisioning, { ...change, updateMask: { paths: Object.keys(change.provisioning) } }),
})

export const createToken = mutationOptions({
  mutationFn: (token: InputOf<typeof createProvisioningToken>['token']) => call(createProvisioningToken, { token }),
})

export const revokeToken = mutationOptions({ mutationFn: (id: string) => call(deleteProvisioningToken, { id }) })
