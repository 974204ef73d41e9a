import type { Channel, Delivery } from '@glacis/contract/channel'
import { useMutation, useQuery } from '@tanstack/react-query'
import { deliveries, redeliverMutation } from '#channels/queries.ts'
import { Badge, type BadgeVariant } from '#ui/badge.tsx'
import { Button } from '#ui/button.tsx'
import { RelativeTime } from '#ui/relative-time.tsx'

const states: Readonly<Record<Delivery['state'], { word: string; color: BadgeVariant }>> = {
  STATE_PENDING: { word: 'Pending', color: 'gray' },
  STATE_DELIVERED: { word: 'Delivered', color: 'green' },
  STATE_FAILED: { word: 'Failed', color: 'red' },
}

/** The latest deliveries of a channel. */
export function DeliveryLog({ channel }: { readonly channel: Channel }) {
  const { data } = useQuery(deliveries(channel.id))
  const again = useMutation(redeliverMutation)
  if (!data) return null
  return (
    <section aria-label="Delivery log" className="mt-6">
      <h3 className="mb-1.5 text-12 font-medium text-ink-3">Delivery log</h3>
      {data.deliveries.length === 0 && <p className="text-ink-2">No deliveries in the last 30 days.</p>}
      {data.deliveries.length > 0 && (
        <ul className="divide-y divide-line rounded-lg border border-line">
          {data.deliveries.map((delivery) => (
            <li key={delivery.id} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2">
              <Badge variant={states[delivery.state].color}>{states[delivery.state].word}</Badge>
              <span className="min-w-0 flex-1">
                {contentOf(delivery)}
                <span className="text-ink-3">
                  {delivery.recipient && ` · ${delivery.recipient}`}
                  {' · '}
                  <RelativeTime value={delivery.createTime} />
                  {delivery.statusCode && ` · ${delivery.statusCode}`}
                  {delivery.latency && ` · ${Math.round(Number.parseFloat(delivery.latency) * 1000)} ms`}
                </span>
                {delivery.error && <span className="block text-12 text-red-ink wrap-anywhere">{delivery.error}</span>}
              </span>
              {delivery.state !== 'STATE_PENDING' && (
                <Button
                  size="xs"
                  call="redeliver"
                  variant="ghost"
                  loading={again.isPending && again.variables.deliveryId === delivery.id}
                  onClick={() => again.mutate({ id: channel.id, deliveryId: delivery.id })}
                >
                  Redeliver
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function contentOf({ events, eventCount }: Delivery): string {
  if (events.includes('EVENT_TEST')) return 'Test'
  return eventCount === 1 ? '1 event' : `${eventCount} events`
}
