import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { CliError } from '#cli-error.ts'

/** Where the scanner finds what it reads; plain paths, so that they can be handed to a thread. */
export interface PackFolders {
  /** Where what was understood of them is kept for the next time. */
  readonly cache?: string
  readonly checks: string[]
  readonly fingerprints: string[]
  /** Files of CVE records. */
  readonly threats: string[]
  /** Files of the fixes that distributions have put into their packages. */
  readonly distributions: string[]
  /** Files of life cycles. */
  readonly lifecycles: string[]
}

/**
 * Our own packs and those of `GLACIS_PACKS`. A folder that is laid out like ours gives each kind;
 * any other is taken for what its files are: `.yaml` checks, `.xml` fingerprints, `.json` records.
 *
 * @throws CliError for a path that is not there, or a file of another kind: nobody would notice what is missing
 */
export function packFolders(root: string, extra: readonly string[]): PackFolders {
  const own = join(root, 'packs')
  const folders: PackFolders = {
    checks: [join(own, 'checks')],
    fingerprints: [join(own, 'fingerprints')],
    threats: filesOf(join(own, 'threats')),
    distributions: filesOf(join(own, 'distributions')),
    lifecycles: filesOf(join(own, 'lifecycles')),
  }
  for (const path of extra) add(folders, path)
  return folders
}

function add(folders: PackFolders, path: string): void {
  if (!existsSync(path)) throw new CliError(`GLACIS_PACKS: ${path} does not exist. Check the path.`)
  if (statSync(path).isFile()) return addFile(folders, path)
  const isLaidOut = ['checks', 'fingerprints', 'threats', 'distributions'].some((kind) => existsSync(join(path, kind)))
  if (!isLaidOut) {
    folders.checks.push(path)
    folders.fingerprints.push(path)
    folders.threats.push(...filesOf(path))
    return
  }
  if (existsSync(join(path, 'checks'))) folders.checks.push(join(path, 'checks'))
  if (existsSync(join(path, 'fingerprints'))) folders.fingerprints.push(join(path, 'fingerprints'))
  if (existsSync(join(path, 'threats'))) folders.threats.push(...filesOf(join(path, 'threats')))
  if (existsSync(join(path, 'distributions'))) folders.distributions.push(...filesOf(join(path, 'distributions')))
}

function addFile(folders: PackFolders, path: string): void {
  if (/\.ya?ml$/.test(path)) folders.checks.push(path)
  if (path.endsWith('.xml')) folders.fingerprints.push(path)
  if (/\.jsonl?$/.test(path)) folders.threats.push(path)
  if (!/\.(ya?ml|xml|jsonl?)$/.test(path))
    throw new CliError(`GLACIS_PACKS: ${path} is not a .yaml, .xml, or .json file.`)
}

function filesOf(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => /\.jsonl?$/.test(name))
    .toSorted()
    .map((name) => join(folder, name))
}
