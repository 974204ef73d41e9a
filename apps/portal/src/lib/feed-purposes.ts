/** What each feed is for, by the name that the server gives it. */
const purposes: ReadonlyMap<string, string> = new Map([
  ['Checks and fingerprints', 'Built-in checks, and patterns that recognize software'],
  ['Threat records', 'Built-in vulnerability records'],
  ['Lifecycles', 'Built-in end-of-support dates'],
  ['NVD', 'Vulnerability records with affected versions'],
  ['NVD additions', 'Affected versions that NVD lacks'],
  ['CVE Program', 'Vulnerability records as soon as they are published'],
  ['CISA KEV', 'Vulnerabilities exploited in the wild'],
  ['FIRST EPSS', 'Probability that a vulnerability is exploited in the next 30 days'],
  ['endoflife.date', 'End-of-support dates'],
  ['Debian security tracker', 'Debian packages that fix vulnerabilities'],
  ['OSV advisories', 'Packages of Linux distributions that fix vulnerabilities'],
  ['Distribution fixes', 'Packages of Linux distributions that fix vulnerabilities'],
  ['retire.js', 'Vulnerable versions of JavaScript libraries'],
  ['CPE dictionary', 'Standard names of software'],
  ['Community templates', 'Nuclei templates, run as checks'],
  ['Recog fingerprints', 'Patterns that recognize software'],
])

/** One line about a feed; undefined for an imported pack with its own name. */
export function feedPurpose(name: string): string | undefined {
  return purposes.get(name)
}
