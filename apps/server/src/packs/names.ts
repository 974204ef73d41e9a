/** The packs that a format fills, under the names that people see. */
export const packNames = {
  nvd: 'NVD',
  override: 'NVD additions',
  cve5: 'CVE programme',
  kev: 'CISA KEV',
  epss: 'FIRST EPSS',
  lifecycle: 'endoflife.date',
  tracker: 'Debian security tracker',
  osv: 'OSV advisories',
  distribution: 'Fixes of distributions',
  retire: 'retire.js',
  dictionary: 'CPE dictionary',
  template: 'Community templates',
  fingerprints: 'Recog fingerprints',
} as const
export type PackName = (typeof packNames)[keyof typeof packNames]
