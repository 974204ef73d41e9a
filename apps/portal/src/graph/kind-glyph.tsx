import type { Kind } from '#graph/model.ts'

const fills: Readonly<Record<Kind, string>> = {
  product: 'var(--gl-kind-product)',
  host: 'var(--gl-kind-host)',
  threat: 'var(--gl-kind-threat)',
  other: 'var(--gl-kind-other)',
}

/** The shape of a node kind, as drawn on the map. */
export function KindGlyph({ kind, isOutline = false }: { readonly kind: Kind; readonly isOutline?: boolean }) {
  return (
    <svg width="14" height="14" viewBox="-7 -7 14 14" aria-hidden="true" className="flex-none" fill={fills[kind]}>
      {kind === 'product' && <rect x="-4.8" y="-4.8" width="9.6" height="9.6" rx="1.4" />}
      {kind === 'threat' &&
        (isOutline ? (
          <path d="M0,-5L4.8,3.6H-4.8Z" fill="none" stroke={fills.threat} strokeWidth="1.8" />
        ) : (
          <path d="M0,-6L5.8,4.4H-5.8Z" />
        ))}
      {(kind === 'host' || kind === 'other') && <circle r={kind === 'host' ? 5 : 4} />}
    </svg>
  )
}
