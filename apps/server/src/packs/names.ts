/** The displayed name of the pack that each format belongs to. */
export const packNames = {
  nvd: 'NVD',
  override: 'NVD additions',
  cve5: 'CVE Program',
  kev: 'CISA KEV',
  epss: 'FIRST EPSS',
  lifecycle: 'endoflife.date',
  tracker: 'Debian security tracker',
  osv: 'OSV advisories',
  distribution: 'Distribution fixes',
  retire: 'retire.js',
  dictionary: 'CPE dictionary',
  template: 'Community templates',
  fingerprints: 'Recog fingerprints',
} as const
export type PackName = (typeof packNames)[keyof typeof packNames]
