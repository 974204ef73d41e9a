/** The open ports of a host with their services and certificates. */
import type { Certificate, Service } from '@glacis/contract/host'
import { useNow } from '#lib/clock.ts'
import { formatDate, formatDateTime, formatNumber } from '#lib/format.ts'
import { Badge, type BadgeVariant } from '#ui/badge.tsx'
import { SectionHead } from '#ui/card.tsx'
import { RelativeTime } from '#ui/relative-time.tsx'
import { Cell, HeaderCell, Table } from '#ui/table.tsx'

/** Renders nothing if no port is open. */
export function Services({ services }: { readonly services: readonly Service[] }) {
  if (services.length === 0) return null
  const hasAddresses = services.some(({ address }) => address !== undefined)
  const hasTls = services.some(({ tls }) => tls)
  return (
    <section aria-label="Services" className="border-b border-line pt-5">
      <div className="px-(--gl-gutter) pb-2">
        <SectionHead
          title={
            <>
              Services
              <span className="ml-2 font-normal text-ink-3 tabular-nums">{formatNumber(services.length)}</span>
            </>
          }
        />
      </div>
      <Table label="Services" className="[&_tbody_tr:last-child_td]:border-b-0">
        <thead>
          <tr>
            <HeaderCell width={120}>Port</HeaderCell>
            {hasAddresses && <HeaderCell width={150}>Address</HeaderCell>}
            <HeaderCell width={132}>Protocol</HeaderCell>
            <HeaderCell>Product</HeaderCell>
            {hasTls && (
              <HeaderCell width={190} priority={1}>
                Certificate
              </HeaderCell>
            )}
            <HeaderCell width={150} priority={hasTls ? 2 : 1}>
              Last seen
            </HeaderCell>
          </tr>
        </thead>
        <tbody>
          {services.map((service) => (
            <tr key={`${service.address ?? ''} ${service.transport} ${service.port}`}>
              <Cell label="Port" primary>
                <span className="ttl font-mono">
                  {service.port}/{service.transport}
                </span>
              </Cell>
              {hasAddresses && (
                <Cell label="Address" quiet>
                  <span className="font-mono">{service.address}</span>
                </Cell>
              )}
              <Cell label="Protocol" quiet>
                {service.protocol || 'Unknown'}
                {service.tls && ', TLS'}
              </Cell>
              <Cell quiet title={service.banner}>
                {service.product || <span className="text-ink-3">–</span>}
              </Cell>
              {hasTls && (
                <Cell label="Certificate" quiet priority={1}>
                  {service.certificate && <Expiry certificate={service.certificate} />}
                </Cell>
              )}
              <Cell label="Last seen" quiet priority={hasTls ? 2 : 1}>
                <RelativeTime value={service.lastSeenTime} />
              </Cell>
            </tr>
          ))}
        </tbody>
      </Table>
    </section>
  )
}

const dayMs = 86_400_000
const expiresSoonDays = 30

/** The expiry of a certificate. An invalid date is shown unchanged. */
export function certificateExpiry(
  { validTo }: Pick<Certificate, 'validTo'>,
  now: number,
): { readonly text: string; readonly variant: BadgeVariant | undefined } {
  const end = Date.parse(validTo)
  if (Number.isNaN(end)) return { text: validTo, variant: undefined }
  const days = Math.floor((end - now) / dayMs)
  if (end <= now) return { text: `Expired ${formatDate(end)}`, variant: 'red' }
  if (days < expiresSoonDays) return { text: `${days} ${days === 1 ? 'day' : 'days'} left`, variant: 'yellow' }
  return { text: `Until ${formatDate(end)}`, variant: undefined }
}

function Expiry({ certificate }: { readonly certificate: Certificate }) {
  const { text, variant } = certificateExpiry(certificate, useNow())
  const end = Date.parse(certificate.validTo)
  const by = certificate.selfSigned ? 'self-signed' : `issued by ${certificate.issuer}`
  const title = `${certificate.subject}, ${by}${Number.isNaN(end) ? '' : `, until ${formatDateTime(end)}`}`
  return variant ? (
    <Badge variant={variant} title={title}>
      {text}
    </Badge>
  ) : (
    <span title={title}>{text}</span>
  )
}
