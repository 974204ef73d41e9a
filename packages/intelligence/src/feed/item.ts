/** The items that feed readers produce, independent of the feed's format. */
import type { ThreatRecord } from '#threat.ts'

/** The source of a record. */
export type RecordSource = 'own' | 'nvd' | 'cve5' | 'override' | 'retire' | 'lifecycle'

/** The support lifecycle of a product's releases. */
export interface Lifecycle {
  /** The source's name of the product in URLs. */
  readonly slug: string
  readonly name: string
  readonly products: readonly { readonly part: string; readonly vendor: string; readonly product: string }[]
  readonly cycles: readonly ReleaseCycle[]
}

/** A release cycle of a product, such as all versions 2.4.x. */
export interface ReleaseCycle {
  /** The common prefix of its versions, such as `2.4`. */
  readonly cycle: string
  /** The last day of support, `YYYY-MM-DD`; null if unknown. */
  readonly endsOn: string | null
  /** Support has ended on an unknown date. */
  readonly isOver: boolean
  /** The latest version of the cycle; empty if unknown. */
  readonly latest: string
}

/** One item of a feed. */
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
   * The first package version of a distribution's release that contains the fix of a CVE; empty if no version does,
   * null if the source makes no statement or has withdrawn it.
   */
  | {
      readonly kind: 'fix'
      readonly id: string
      /** The source package; a binary package in advisories of RPM distributions that list those. */
      readonly package: string
      /** Canonical `vendor:product` key; empty if scans can't detect the package. */
      readonly product: string
      readonly release: string
      readonly fixedVersion: string | null
      /** The package or advisory that is the source; later statements of the same origin replace this one. */
      readonly origin: string
    }
  /** A product of the CPE dictionary. */
  | { readonly kind: 'software'; readonly part: string; readonly vendor: string; readonly product: string }
  /** An invalid record, which is counted and skipped. */
  | { readonly kind: 'skipped'; readonly id: string; readonly problem: string }
