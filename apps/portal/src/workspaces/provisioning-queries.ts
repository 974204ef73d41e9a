/** Queries and mutations of SCIM provisioning. Apart from `queries.ts`, which every page loads. */
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
  mutationFn: (settings: InputOf<typeof updateProvisioning>['provisioning']) =>
    call(updateProvisioning, { provisioning: settings, updateMask: { paths: Object.keys(settings) } }),
})

export const createToken = mutationOptions({
  mutationFn: (token: InputOf<typeof createProvisioningToken>['token']) => call(createProvisioningToken, { token }),
})

export const revokeToken = mutationOptions({ mutationFn: (id: string) => call(deleteProvisioningToken, { id }) })
