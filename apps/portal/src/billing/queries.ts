/** What the portal asks of the account's plan. */
import { getSubscription } from '@glacis/contract/account'
import { query } from '#api/query.ts'

/** The plan and what of it is used. */
export function subscription() {
  return query(getSubscription, {})
}
