/** Accepted differences from the reference: which side is right, and why. */

interface Explanation {
  readonly side: 'missed' | 'extra'
  /** ID of a lab entry; any if absent. */
  readonly lab?: RegExp
  readonly key: RegExp
  readonly reason: string
}

const explanations: readonly Explanation[] = [
  {
    side: 'missed',
    key: /^niagara-fox-info-enum$/,
    reason: 'false positive: an error response of Redis is taken for a match',
  },
  { side: 'missed', lab: /^D22$/, key: /^tidb-unauth$/, reason: 'false positive: it is MariaDB' },
  { side: 'missed', key: /^CVE-2019-11248$/, reason: 'false positive: matches any Go profiler, not only the kubelet' },
  {
    side: 'missed',
    key: /^(?:CVE-2021-3654|graphql-wpgraphql-detect|wordpress-db-exposure)$/,
    reason: "false positive: the product isn't installed",
  },
  { side: 'missed', lab: /^D15$/, key: /^openssh-detect$/, reason: 'false positive: it is Dropbear' },
  {
    side: 'missed',
    lab: /^N16$/,
    key: /^package-json$/,
    reason: "the lab's entry doesn't contain this file",
  },
  {
    side: 'missed',
    lab: /^X01b$/,
    key: /./,
    reason: "false positive: a page that echoes every request doesn't identify a product",
  },
  {
    side: 'extra',
    key: /^untrusted-root-certificate$/,
    reason: "true positive: the certificate isn't issued by a trusted authority",
  },
  { side: 'extra', lab: /^D15$/, key: /^sshd-dropbear-detect$/, reason: 'true positive: it is Dropbear' },
  {
    side: 'extra',
    lab: /^D33$/,
    key: /^(?:smtp-commands-enum |exim-detect$)/,
    reason: 'true positive: it is Exim, and it responds to EHLO',
  },
]

/** @returns the reason for a difference; undefined if it must be fixed */
export function explain(lab: string, side: 'missed' | 'extra', key: string): string | undefined {
  return explanations.find((item) => item.side === side && (item.lab?.test(lab) ?? true) && item.key.test(key))?.reason
}
