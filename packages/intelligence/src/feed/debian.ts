/**
 * Reads fixed package versions of distributions: the Debian security tracker's JSON, and advisories in
 * the OSV format, used by Ubuntu, Rocky Linux, AlmaLinux, and others.
 */
import { z } from 'zod'
import type { Item } from '#feed/item.ts'
import { lenientArray } from '#feed/lenient-array.ts'
import { noFixedVersion } from '#match/distribution.ts'
import { comparePackageVersions } from '#match/package.ts'
import { productOfPackage } from '#package-product.ts'

const releaseByCodename: Readonly<Record<string, string>> = {
  stretch: 'debian:9',
  buster: 'debian:10',
  bullseye: 'debian:11',
  bookworm: 'debian:12',
  trixie: 'debian:13',
  forky: 'debian:14',
  duke: 'debian:15',
}

const TrackerEntry = z.object({
  releases: z.record(
    z.string(),
    z
      .object({ status: z.string(), fixed_version: z.string().optional(), urgency: z.string().default('') })
      .catch({ status: '', urgency: '' }),
  ),
})

/** Reads the tracker's entry of one source package. */
export function* readTrackerPackage(packageName: string, value: unknown): Generator<Item> {
  const cves = z.record(z.string(), z.unknown()).safeParse(value)
  if (!cves.success) {
    yield { kind: 'skipped', id: packageName, problem: 'The package entry is not an object of CVEs.' }
    return
  }
  const product = productOfPackage(packageName)
  for (const [id, entry] of Object.entries(cves.data)) {
    if (!/^CVE-\d{4}-\d{4,}$/.test(id)) continue
    const { data } = TrackerEntry.safeParse(entry)
    if (!data) {
      yield { kind: 'skipped', id, problem: 'The CVE entry has no releases.' }
      continue
    }
    for (const [name, status] of Object.entries(data.releases)) {
      const release = releaseByCodename[name]
      if (release !== undefined)
        yield {
          kind: 'fix',
          id,
          package: packageName,
          product,
          release,
          fixedVersion: fixedVersionOf(status),
          origin: packageName,
        }
    }
  }
}

/**
 * The fixed version of a release. `resolved` has a version, which is `0` if no version was affected.
 * `open` means that no build is fixed, whether or not an advisory is planned (`nodsa`), except if the
 * maintainers don't consider it a vulnerability (`unimportant`) or no longer support the package
 * (`end-of-life`). `undetermined` means unknown.
 */
function fixedVersionOf({
  status,
  fixed_version: fixedVersion,
  urgency,
}: z.infer<typeof TrackerEntry>['releases'][string]) {
  if (status === 'resolved') return fixedVersion || null
  return status === 'open' && !/^(?:unimportant|end-of-life)$/.test(urgency) ? noFixedVersion : null
}

const Osv = z.object({
  id: z.string(),
  withdrawn: z.string().optional(),
  aliases: lenientArray(z.string()),
  upstream: lenientArray(z.string()),
  affected: lenientArray(
    z.object({
      package: z.object({ ecosystem: z.string(), name: z.string() }),
      ranges: lenientArray(
        z.object({
          type: z.string(),
          events: lenientArray(
            z.object({
              introduced: z.string().optional(),
              fixed: z.string().optional(),
              last_affected: z.string().optional(),
            }),
          ),
        }),
      ),
    }),
  ),
})
type OsvRange = z.infer<typeof Osv>['affected'][number]['ranges'][number]

/**
 * Reads an advisory in the OSV format (ossf.github.io/osv-schema). A withdrawn advisory resets its
 * fixes to unknown.
 */
export function* readOsv(input: unknown): Generator<Item> {
  const { data, error } = Osv.safeParse(input)
  if (!data) {
    yield { kind: 'skipped', id: '', problem: z.prettifyError(error) }
    return
  }
  const ids = new Set(
    [data.id, ...data.aliases, ...data.upstream].flatMap((id) => /CVE-\d{4}-\d{4,}$/.exec(id)?.[0] ?? []),
  )
  const fixes = new Map<string, { name: string; release: string; fixedVersions: (string | null)[] }>()
  for (const { package: affectedPackage, ranges } of data.affected) {
    const { name } = affectedPackage
    const release = releaseOfEcosystem(affectedPackage.ecosystem)
    if (release === null) continue
    const fix = fixes.get(`${name} ${release}`) ?? { name, release, fixedVersions: [] }
    fix.fixedVersions.push(
      ...ranges.flatMap((range) => (range.type === 'ECOSYSTEM' ? [fixedVersionOfRange(range)] : [])),
    )
    fixes.set(`${name} ${release}`, fix)
  }
  for (const { name, release, fixedVersions } of fixes.values()) {
    const fixedVersion = data.withdrawn ? null : latestFixedVersion(release, fixedVersions)
    const product = productOfPackage(name)
    for (const id of ids) yield { kind: 'fix', id, package: name, product, release, fixedVersion, origin: data.id }
  }
}

/**
 * The version that ends the last interval of a range; `noFixedVersion` if the interval is open; null if
 * it ends with `last_affected`, because the next version is unknown. `GIT` ranges contain commits
 * instead of versions, and version lists only enumerate affected versions, so both are ignored.
 */
function fixedVersionOfRange({ events }: OsvRange): string | null {
  const introducedCount = events.filter(({ introduced }) => introduced !== undefined).length
  const ends = events.filter((event) => event.fixed !== undefined || event.last_affected !== undefined)
  if (ends.length < introducedCount) return noFixedVersion
  return ends.every(({ fixed }) => fixed !== undefined) ? (ends.at(-1)?.fixed ?? null) : null
}

/** The latest of several fixed versions; nothing is affected from that version on. */
function latestFixedVersion(release: string, ends: readonly (string | null)[]): string | null {
  return ends.reduce<string | null>((last, end, index) => {
    if (index === 0 || last === null || end === null) return index === 0 ? end : null
    if (last === noFixedVersion || end === noFixedVersion) return noFixedVersion
    return comparePackageVersions(release, end, last) > 0 ? end : last
  }, null)
}

const releaseNames: Readonly<Record<string, string>> = {
  Debian: 'debian',
  Ubuntu: 'ubuntu',
  'Rocky Linux': 'el',
  AlmaLinux: 'el',
  'Red Hat': 'el',
  Alpine: 'alpine',
}

/**
 * `Debian:12`, `Ubuntu:22.04:LTS`, `Rocky Linux:9`, `Red Hat:enterprise_linux:9::appstream`, `Alpine:v3.20`; null for
 * other ecosystems.
 */
function releaseOfEcosystem(ecosystem: string): string | null {
  const [name = '', ...rest] = ecosystem.split(':').filter((part) => part !== 'Pro')
  const key = releaseNames[name]
  const version = (key === 'el' ? /\d+/ : /\d+(?:\.\d+)*/).exec(rest.join(':'))?.[0]
  return key === undefined || version === undefined ? null : `${key}:${version}`
}
