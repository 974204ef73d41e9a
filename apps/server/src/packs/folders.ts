import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { CliError } from '#cli-error.ts'

/** Paths of all packs. Plain data, so that it can be passed to another process. */
export interface PackFolders {
  /** Folder for the parsed form of large packs. */
  readonly cache?: string
  readonly checks: string[]
  readonly fingerprints: string[]
  /** Files of CVE records. */
  readonly threats: string[]
  /** Files with fixed versions of distribution packages. */
  readonly distributions: string[]
  readonly lifecycles: string[]
}

/**
 * The built-in packs and those of `GLACIS_PACKS`. A folder with our layout contributes each kind of pack. Other
 * folders and files are used by file type: `.yaml` checks, `.xml` fingerprints, `.json` records. A folder
 * `fingerprints` may also contain `nmap-service-probes` and technologies in Wappalyzer's format (`.json`).
 *
 * @throws CliError for a missing path or an unsupported file type
 */
export function packFolders(root: string, extra: readonly string[]): PackFolders {
  const builtIn = join(root, 'packs')
  const folders: PackFolders = {
    checks: [join(builtIn, 'checks')],
    fingerprints: [join(builtIn, 'fingerprints')],
    threats: filesOf(join(builtIn, 'threats')),
    distributions: filesOf(join(builtIn, 'distributions')),
    lifecycles: filesOf(join(builtIn, 'lifecycles')),
  }
  for (const path of extra) add(folders, path)
  return folders
}

function add(folders: PackFolders, path: string): void {
  if (!existsSync(path)) throw new CliError(`GLACIS_PACKS: ${path} does not exist. Check the path.`)
  if (statSync(path).isFile()) return addFile(folders, path)
  const hasOurLayout = ['checks', 'fingerprints', 'threats', 'distributions'].some((kind) =>
    existsSync(join(path, kind)),
  )
  if (!hasOurLayout) {
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
  const isNmapFile = basename(path) === 'nmap-service-probes'
  if (/\.ya?ml$/.test(path)) folders.checks.push(path)
  if (path.endsWith('.xml') || isNmapFile) folders.fingerprints.push(path)
  if (/\.jsonl?$/.test(path)) folders.threats.push(path)
  if (!isNmapFile && !/\.(ya?ml|xml|jsonl?)$/.test(path))
    throw new CliError(`GLACIS_PACKS: ${path} is not a .yaml, .xml, .json, or nmap-service-probes file.`)
}

function filesOf(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => /\.jsonl?$/.test(name))
    .toSorted()
    .map((name) => join(folder, name))
}
