/**
 * Test vectors and public records that are too large for the repository. `GLACIS_SHARED` is the folder
 * that contains them. Tests that need them are skipped if it doesn't exist.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = process.env['GLACIS_SHARED'] ?? join(import.meta.dirname, '../../../../../shared')
/** Folder of the public records; null if it doesn't exist. */
export const sharedData = existsSync(join(folder, 'data')) ? join(folder, 'data') : null

/** A well-formed name in the format of the vectors. */
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
  readonly grype_constraint_apk: readonly Constraint[]
  readonly grype_constraint_semver: readonly Constraint[]
}

/** Published test vectors for names and versions; null if they are not available. */
export const vectors: Vectors | null = sharedData ? read(join(sharedData, 'cpe-and-version-test-vectors.json')) : null

function read(path: string): Vectors | null {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null
}
