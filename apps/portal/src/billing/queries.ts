/** Queries and mutations for the workspace's plan. */
import { changeSubscription, getSubscription, listPlans } from '@glacis/contract/subscription'
import type { InputOf } from '@glacis/contract/endpoint'
import { mutationOptions } from '@tanstack/react-query'
import { call } from '#api/call.ts'
import { keyOf, query } from '#api/query.ts'
import { addToast } from '#ui/toasts.tsx'

/** The current plan and its quota usage. */
export function subscription() {
  return query(getSubscription, {})
}

/** The available plans, smallest first; the only source of their limits and prices. */
export function plans() {
  return query(listPlans, {})
}

/** Delay before refetching the subscription after a change without payment, in milliseconds. */
export const refetchDelayMs = 1000

/**
 * Changes the subscription. If a payment is due, the mutation stays pending while the browser navigates to it;
 * otherwise it completes when the subscription has been refetched.
 */
export const change = mutationOptions({
  mutationFn: async (wanted: InputOf<typeof changeSubscription>, { client }) => {
    const { redirectUrl } = await call(changeSubscription, wanted)
    if (redirectUrl !== '') return navigateTo(redirectUrl)
    await new Promise((resolve) => setTimeout(resolve, refetchDelayMs))
    await client.invalidateQueries({ queryKey: keyOf(getSubscription) })
  },
  onSuccess: (_data, _wanted, _result, { client }) => {
    const { plan } = client.getQueryData(subscription().queryKey)?.subscription ?? {}
    addToast('success', { title: 'Success', message: `You're now on the ${plan ? `${plan.name} plan` : 'new plan'}.` })
  },
})

/** Never settles, which keeps the form disabled until the page unloads. */
function navigateTo(address: string): Promise<never> {
  location.assign(address)
  return new Promise(() => {})
}
