/** The feed sources: URLs, update intervals, and size limits. */
import { packNames, type PackName } from '#packs/names.ts'

/** Source names as used in settings. */
export type SourceKey =
  | 'kev'
  | 'epss'
  | 'lifecycle'
  | 'templates'
  | 'fingerprints'
  | 'retire'
  | 'nvd'
  | 'nvdChanges'
  | 'cve5'
  | 'debian'

export interface Source {
  readonly key: SourceKey
  readonly pack: PackName
  readonly everyMs: number
  readonly bytesMax: number
}

const hour = 3_600_000
const megabyte = 1_000_000

/** In the order of the initial load: small and useful feeds first. */
export const sources: readonly Source[] = [
  { key: 'kev', pack: packNames.kev, everyMs: 6 * hour, bytesMax: 60 * megabyte },
  { key: 'epss', pack: packNames.epss, everyMs: 24 * hour, bytesMax: 100 * megabyte },
  { key: 'lifecycle', pack: packNames.lifecycle, everyMs: 24 * hour, bytesMax: 60 * megabyte },
  { key: 'templates', pack: packNames.template, everyMs: 24 * hour, bytesMax: 500 * megabyte },
  { key: 'fingerprints', pack: packNames.fingerprints, everyMs: 7 * 24 * hour, bytesMax: 100 * megabyte },
  { key: 'retire', pack: packNames.retire, everyMs: 24 * hour, bytesMax: 20 * megabyte },
  { key: 'debian', pack: packNames.tracker, everyMs: 24 * hour, bytesMax: 500 * megabyte },
  { key: 'cve5', pack: packNames.cve5, everyMs: 1 * hour, bytesMax: 100 * megabyte },
  { key: 'nvd', pack: packNames.nvd, everyMs: 2 * hour, bytesMax: 500 * megabyte },
]

/** `{year}` is replaced by each year of the NVD files. An empty URL turns a source off. */
export const addresses: Readonly<Record<SourceKey, string>> = {
  kev: 'https://www.cisa.gov/sites/default/files/feeds/known_exploited_vulnerabilities.json',
  epss: 'https://epss.empiricalsecurity.com/epss_scores-current.csv.gz',
  lifecycle: 'https://endoflife.date/api/v1/products/full',
  templates: 'https://codeload.github.com/projectdiscovery/nuclei-templates/tar.gz/refs/heads/main',
  fingerprints: 'https://codeload.github.com/rapid7/recog/tar.gz/refs/heads/main',
  retire: 'https://raw.githubusercontent.com/RetireJS/retire.js/master/repository/jsrepository-v4.json',
  debian: 'https://security-tracker.debian.org/tracker/data/json',
  cve5: 'https://raw.githubusercontent.com/CVEProject/cvelistV5/main/cves/deltaLog.json',
  nvd: 'https://nvd.nist.gov/feeds/json/cve/2.0/nvdcve-2.0-{year}.json.gz',
  nvdChanges: 'https://services.nvd.nist.gov/rest/json/cves/2.0',
}
