/** Which order the versions of a product have. */
import { compareGeneric, type GenericRules } from '#version/generic.ts'
import { compareSemver } from '#version/semver.ts'

/** What decides the order: a canonical `vendor:product` key and, where it is set, the platform. */
export interface Scheme {
  readonly product: string
  readonly targetSoftware: string
}

/** Products with an order of their own; each line states what its maker documents. */
const rulesByProduct: Readonly<Record<string, GenericRules>> = {
  // https://kb.isc.org/docs/aa-00896: a1, b1, rc1 before a release; P1, W1, S1 after it.
  'isc:bind': { attachedAlphas: true },
  // PEP 440.
  'python:python': { attachedAlphas: true },
  'djangoproject:django': { attachedAlphas: true },
  // PHP writes 5.3.0alpha1 in full and 8.1.0-dev.
  'samba:samba': { attachedAlphas: true },
  // Letters of IOS name trains; 12.2(33)SXJ and 12.4(24)T do not follow one another.
  'cisco:ios': { trains: true },
  'cisco:ios_xe': { trains: true },
  'cisco:ios_xr': { trains: true },
  'cisco:nx-os': { trains: true },
}

/**
 * Compares two versions of one product.
 *
 * @returns negative, zero or positive as `left` is before, the same as or after `right`; null when
 *   no order is known, which is never a match
 */
export function compareVersions(left: string, right: string, scheme: Scheme): number | null {
  if (scheme.targetSoftware === 'node.js') {
    const order = compareSemver(left, right)
    if (order !== null) return order
  }
  return compareGeneric(canonical(left), canonical(right), rulesOf(scheme))
}

/** What is known of the versions of a product, beyond the general order. */
export function rulesOf({ product }: Scheme): GenericRules | undefined {
  return rulesByProduct[product]
}

const shortestGreeting = '1-mariadb'.length

/** MariaDB greets with `5.5.5-` so that old MySQL replicas talk to it. */
export function canonical(version: string): string {
  if (version.length < shortestGreeting) return version
  return version.replace(/^5\.5\.5-(?=1\d\.)/, '').replace(/^([\d.]+)-mariadb.*$/i, '$1')
}
