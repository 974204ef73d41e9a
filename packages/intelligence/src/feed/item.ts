/** What feeds bring, whatever their format. */
import type { ThreatRecord } from '#threat.ts'

/** Who says something of a CVE. */
export type RecordSource = 'own' | 'nvd' | 'cve5' | 'override' | 'retire' | 'lifecycle'

/** How long the releases of a product are supported. */
export interface Lifecycle {
  /** As the source calls the product, in an address. */
  readonly slug: string
  readonly name: string
  readonly products: readonly { readonly part: string; readonly vendor: string; readonly product: string }[]
  readonly cycles: readonly ReleaseCycle[]
}

export interface ReleaseCycle {
  /** Beginning of the versions that belong to it, such as `2.4`. */
  readonly cycle: string
  /** The last day of support, `YYYY-MM-DD`; null where none is known. */
  readonly endsOn: string | null
  /** Support has ended, on a day that is not known. */
  readonly isOver: boolean
  /** Newest version of the cycle; empty where it is not known. */
  readonly latest: string
}

/** One thing that a feed says. */
export type Item =
  | { readonly kind: 'threat'; readonly source: RecordSource; readonly threat: ThreatRecord }
  | {
      readonly kind: 'exploitation'
      readonly id: string
      readonly epss?: { readonly score: number; readonly percentile: number }
      readonly knownExploited?: { readonly addTime: string }
    }
  | { readonly kind: 'lifecycle'; readonly lifecycle: Lifecycle }
  /**
   * From this package version on, a release of a distribution holds the fix of a CVE; empty where no
   * version does, null where the source says nothing, or nothing any more.
   */
  | {
      readonly kind: 'fix'
      readonly id: string
      readonly product: string
      readonly release: string
      readonly fixedVersion: string | null
      /** The package or the advisory that says so; what it says later goes in the place of it. */
      readonly origin: string
    }
  /** A name of the dictionary of products. */
  | { readonly kind: 'software'; readonly part: string; readonly vendor: string; readonly product: string }
  /** A record that is not whole; it is counted and passed over. */
  | { readonly kind: 'skipped'; readonly id: string; readonly problem: string }
