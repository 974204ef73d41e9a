/** `/technologies/{id}` */
import type { Product } from '@glacis/contract/product'
import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Eye, EyeOff } from 'lucide-react'
import type { ReactNode } from 'react'
import { formatNumber } from '#lib/format.ts'
import { EndOfLifeBadge } from '#products/product-table.tsx'
import { thresholdExplanation } from '#products/notification-threshold.ts'
import { ThresholdMenu } from '#products/threshold-menu.tsx'
import { ProductThreats } from '#products/product-threats.tsx'
import { editProduct, detail, stopWatching } from '#products/queries.ts'
import { attributeLabel, partLabel, vendorName } from '#products/labels.ts'
import { Button } from '#ui/button.tsx'
import { Detail, Fact, Facts } from '#ui/card.tsx'
import { CopyField } from '#ui/copy-field.tsx'
import { Crumb, PageHead } from '#ui/page-head.tsx'
import { AbsoluteTime } from '#ui/relative-time.tsx'

const route = getRouteApi('/_auth/technologies/$id')

interface ProductDetailPageProps {
  /** The product's issues, passed in because this module can't import them. */
  readonly risks?: ReactNode
  /** The hosts that run the product, passed in because this module can't import them. */
  readonly assets?: ReactNode
}

export function ProductDetailPage({ risks, assets }: ProductDetailPageProps) {
  const { id } = route.useParams()
  const { product } = useSuspenseQuery(detail(id)).data
  return (
    <div className="pg flex grow flex-col">
      <PageHead
        title={
          <>
            {product.name} <span className="font-normal text-ink-3">{product.version}</span>
          </>
        }
        documentTitle={`${product.name} ${product.version}`.trim()}
        crumbs={<Crumb to="/technologies">Technologies</Crumb>}
        here={product.name}
        aside={<EndOfLifeBadge product={product} />}
        actions={<WatchButton product={product} />}
      />
      <Detail rail={<Rail product={product} />}>
        {risks}
        {assets}
        <ProductThreats id={id} />
      </Detail>
    </div>
  )
}

function WatchButton({ product }: { readonly product: Product }) {
  const navigate = route.useNavigate()
  const watching = useMutation(editProduct)
  const stopping = useMutation(stopWatching)
  const isSeen = (product.hostCount ?? 0) > 0
  if (!product.watched) {
    return (
      <Button
        size="sm"
        call="updateProduct"
        icon={<Eye />}
        loading={watching.isPending}
        title="Get notified about new threats even if no asset runs it"
        onClick={() => watching.mutate({ id: product.id, watched: true })}
      >
        Watch
      </Button>
    )
  }
  // A product that runs nowhere leaves the inventory when it's no longer watched.
  const stop = () =>
    isSeen
      ? watching.mutate({ id: product.id, watched: false })
      : stopping.mutate(product.id, { onSuccess: () => void navigate({ to: '/technologies' }) })
  return (
    <Button
      size="sm"
      call={isSeen ? 'updateProduct' : 'deleteProduct'}
      icon={<EyeOff />}
      loading={watching.isPending || stopping.isPending}
      onClick={stop}
    >
      Stop watching
    </Button>
  )
}

const attributes = [
  ['Version', 'version'],
  ['Update', 'update'],
  ['Edition', 'edition'],
  ['Language', 'language'],
  ['Software edition', 'softwareEdition'],
  ['Target software', 'targetSoftware'],
  ['Target hardware', 'targetHardware'],
  ['Other', 'other'],
] as const

function Rail({ product }: { readonly product: Product }) {
  const { wfn, endOfLife, hostCount } = product
  const isGiven = (value: string) => attributeLabel(value) !== 'any'
  return (
    <>
      <section>
        <h2>Notifications</h2>
        <p className="mb-1.5 font-medium">Notify from</p>
        <ThresholdMenu product={product} />
        <p className="mt-1.5 text-12 text-ink-3">{thresholdExplanation}</p>
      </section>
      <section>
        <h2>Details</h2>
        <Facts>
          {hostCount !== undefined && <Fact name="Assets">{formatNumber(hostCount)}</Fact>}
          {endOfLife?.latestVersion && <Fact name="Latest version">{endOfLife.latestVersion}</Fact>}
          <Fact name="First seen">
            <AbsoluteTime value={product.createTime} />
          </Fact>
          <Fact name="Updated">
            <AbsoluteTime value={product.updateTime} />
          </Fact>
        </Facts>
      </section>
      <section>
        <h2>Identifier</h2>
        <Facts>
          <Fact name="Part">{partLabel(wfn)}</Fact>
          <Fact name="Vendor">
            <Link to="/technologies" search={{ vendor: wfn.vendor }} className="inline-link">
              {vendorName(wfn.vendor)}
            </Link>
          </Fact>
          <Fact name="Product">
            <Link to="/technologies" search={{ vendor: wfn.vendor, product: wfn.product }} className="inline-link">
              {wfn.product}
            </Link>
          </Fact>
          {attributes
            .filter(([, key]) => key === 'version' || isGiven(wfn[key]))
            .map(([name, key]) => (
              <Fact key={key} name={name}>
                {attributeLabel(wfn[key])}
              </Fact>
            ))}
        </Facts>
        {wfn.text && (
          <div className="mt-3">
            <CopyField label="CPE 2.3 name" value={wfn.text} wrap />
          </div>
        )}
      </section>
    </>
  )
}
