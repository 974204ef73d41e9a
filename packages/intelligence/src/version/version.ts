/** Selects the comparison rules for a product's versions. */
import { compareGeneric, type GenericRules } from '#version/generic.ts'
import { compareSemver } from '#version/semver.ts'

/** Determines the comparison rules: the canonical `vendor:product` key and the target software, if set. */
export interface Scheme {
  readonly product: string
  readonly targetSoftware: string
}

/** Products with special rules, as documented by their vendors. */
const rulesByProduct: Readonly<Record<string, GenericRules>> = {
  // https://kb.isc.org/docs/aa-00896: a1, b1, rc1 before a release; P1, W1, S1 after it.
  'isc:bind': { attachedAlphas: true },
  // PEP 440.
  'python:python': { attachedAlphas: true },
  'djangoproject:django': { attachedAlphas: true },
  'samba:samba': { attachedAlphas: true },
  // Letters identify release trains: 12.2(33)SXJ and 12.4(24)T are not comparable.
  'cisco:ios': { trains: true },
  'cisco:ios_xe': { trains: true },
  'cisco:ios_xr': { trains: true },
  'cisco:nx-os': { trains: true },
}

/**
 * Compares two versions of one product.
 *
 * @returns a negative number, zero, or a positive number if `left` is older than, equal to, or newer than
 *   `right`; null if the order is unknown, which never counts as a match
 */
export function compareVersions(left: string, right: string, scheme: Scheme): number | null {
  if (scheme.targetSoftware === 'node.js') {
    const order = compareSemver(left, right)
    if (order !== null) return order
  }
  return compareGeneric(normalizeMariaDb(left), normalizeMariaDb(right), rulesFor(scheme))
}

/** The special rules of a product, if any. */
export function rulesFor({ product }: Scheme): GenericRules | undefined {
  return rulesByProduct[product]
}

const minMariaDbLength = '1-mariadb'.length

/**
 * Removes the `5.5.5-` prefix that MariaDB sends for compatibility with old MySQL replicas, and the
 * suffix of its builds.
 */
export function normalizeMariaDb(version: string): string {
  if (version.length < minMariaDbLength) return version
  return version.replace(/^5\.5\.5-(?=1\d\.)/, '').replace(/^([\d.]+)-mariadb.*$/i, '$1')
}
