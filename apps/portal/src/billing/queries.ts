/** What the portal asks of the account's plan. */
import { changeSubscription, getSubscription, listPlans } from '@glacis/contract/account'
import type { InputOf } from '@glacis/contract/endpoint'
import { mutationOptions, type QueryClient } from '@tanstack/react-query'
import { call } from '#api/call.ts'
import { keyOf, query, refresh } from '#api/query.ts'
import { addToast } from '#lib/toasts.ts'

/** The plan and what of it is used. */
export function subscription() {
  return query(getSubscription, {})
}

/** The plans on offer, smallest first: the one source of their sizes and prices. */
export function plans() {
  return query(listPlans, {})
}

/** How long a change without a payment is given to arrive before the figures are read again, in milliseconds. */
export const settleMs = 1000

/**
 * Changes the subscription. Where a payment is due, the browser leaves for it and the change stays under way;
 * otherwise it is done when the new figures are here.
 */
export function change(client: QueryClient) {
  return mutationOptions({
    mutationKey: [changeSubscription.path, changeSubscription.method],
    mutationFn: async (wanted: InputOf<typeof changeSubscription>) => {
      const { redirectUrl } = await call(changeSubscription, wanted)
      if (redirectUrl !== '') return leaveFor(redirectUrl)
      await new Promise((resolve) => setTimeout(resolve, settleMs))
      await refresh(client, [keyOf(getSubscription)])
    },
    onSuccess: () => {
      const { plan } = client.getQueryData(subscription().queryKey)?.subscription ?? {}
      addToast('success', { title: 'Success', message: `${plan ? `The ${plan.name} plan` : 'The plan'} is in force.` })
    },
  })
}

/** Never settles: the page is about to go, and until then there is nothing to press. */
function leaveFor(address: string): Promise<never> {
  location.assign(address)
  return new Promise(() => {})
}
