/**
 * Test vectors and records that are too large for the repository. `GLACIS_SHARED` names the folder
 * that holds them; where it is missing, the tests that need it skip.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = process.env['GLACIS_SHARED'] ?? join(import.meta.dirname, '../../../../../shared')
/** Folder of the public records, or null where there is none. */
export const sharedData = existsSync(join(folder, 'data')) ? join(folder, 'data') : null

/** A well-formed name as the vectors write it. */
export type VectorName = Readonly<Record<string, string | { readonly logical: 'ANY' | 'NA' }>>
interface Unbind {
  readonly input: string
  readonly wfn?: VectorName
  readonly error?: boolean
}
interface Constraint {
  readonly version: string
  readonly constraint: string
  readonly satisfied: boolean
}
interface Vectors {
  readonly unbind_uri: readonly Unbind[]
  readonly unbind_fs: readonly Unbind[]
  readonly bind: readonly { readonly wfn: VectorName; readonly expected: string }[]
  readonly name_match: readonly {
    readonly source: VectorName
    readonly target: VectorName
    readonly disjoint: boolean
    readonly equal: boolean
    readonly subset: boolean
    readonly superset: boolean
  }[]
  readonly version_compare_nvdtools_smartvercmp: readonly {
    readonly a: string
    readonly b: string
    readonly cmp: number
  }[]
  readonly grype_constraint_fuzzy: readonly Constraint[]
  readonly grype_constraint_deb: readonly Constraint[]
  readonly grype_constraint_semver: readonly Constraint[]
}

/** Published vectors for names and versions, or null where they are missing. */
export const vectors: Vectors | null = sharedData ? read(join(sharedData, 'cpe-and-version-test-vectors.json')) : null

function read(path: string): Vectors | null {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null
}
