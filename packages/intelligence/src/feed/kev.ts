/** CISA's Known Exploited Vulnerabilities (KEV) catalog. */
import { z } from 'zod'

const Entry = z.object({
  cveID: z.string().regex(/^CVE-\d{4}-\d{4,}$/),
  dateAdded: z.iso.date(),
  vulnerabilityName: z.string().catch(''),
  requiredAction: z.string().catch(''),
})

/** One entry of the catalog. */
export interface KnownExploited {
  readonly id: string
  /** ISO 8601 in UTC; the catalog contains dates without times. */
  readonly addTime: string
  readonly name: string
  readonly requiredAction: string
}

/**
 * Reads the catalog's JSON document.
 *
 * @returns the entries and the number of invalid entries that were skipped
 * @throws if the document is not the catalog
 */
export function readKev(document: unknown): { entries: readonly KnownExploited[]; skipped: number } {
  const { vulnerabilities } = z.object({ vulnerabilities: z.array(z.unknown()) }).parse(document)
  const entries = vulnerabilities.flatMap((item) => {
    const { data } = Entry.safeParse(item)
    if (!data) return []
    const { cveID, dateAdded, vulnerabilityName, requiredAction } = data
    return [{ id: cveID, addTime: `${dateAdded}T00:00:00.000Z`, name: vulnerabilityName, requiredAction }]
  })
  return { entries, skipped: vulnerabilities.length - entries.length }
}
