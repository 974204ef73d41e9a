/** Differences from the reference that stand: who is right, and why. */

interface Explanation {
  readonly side: 'missed' | 'extra'
  /** Row of the lab; absent: any. */
  readonly lab?: RegExp
  readonly key: RegExp
  readonly reason: string
}

const explanations: readonly Explanation[] = [
  {
    side: 'missed',
    key: /^niagara-fox-info-enum$/,
    reason: 'false: Redis refuses its question, and that is taken for an answer',
  },
  { side: 'missed', lab: /^D22$/, key: /^tidb-unauth$/, reason: 'false: it is MariaDB' },
  { side: 'missed', key: /^CVE-2019-11248$/, reason: 'false: any Go profiler, not the kubelet' },
  {
    side: 'missed',
    key: /^(?:CVE-2021-3654|graphql-wpgraphql-detect|wordpress-db-exposure)$/,
    reason: 'false: there is no such product',
  },
  { side: 'missed', lab: /^D15$/, key: /^openssh-detect$/, reason: 'false: it is Dropbear' },
  {
    side: 'missed',
    lab: /^N16$/,
    key: /^package-json$/,
    reason: 'not there: this laboratory gives the row no such file',
  },
  {
    side: 'missed',
    lab: /^X01b$/,
    key: /./,
    reason: 'false: a page that repeats everything is no proof of a certain product',
  },
  { side: 'extra', key: /^untrusted-root-certificate$/, reason: 'true: the certificate leads to no authority' },
  { side: 'extra', lab: /^D15$/, key: /^sshd-dropbear-detect$/, reason: 'true: it is Dropbear' },
  {
    side: 'extra',
    lab: /^D33$/,
    key: /^(?:smtp-commands-enum |exim-detect$)/,
    reason: 'true: it is Exim, and it answers EHLO',
  },
]

/** @returns why the difference stands; undefined for one that must be mended */
export function explain(lab: string, side: 'missed' | 'extra', key: string): string | undefined {
  return explanations.find((one) => one.side === side && (one.lab?.test(lab) ?? true) && one.key.test(key))?.reason
}
