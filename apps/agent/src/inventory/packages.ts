/** Lists installed packages from the databases of dpkg, apk, and rpm. */
import { execFile } from 'node:child_process'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { InventoryPackage } from '@glacis/contract/machine'

const dpkgStatus = 'var/lib/dpkg/status'
/** One file per package, in images without dpkg. */
const dpkgStatusFolder = 'var/lib/dpkg/status.d'
const apkDatabases = ['lib/apk/db/installed', 'usr/lib/apk/db/installed']
const rpmDatabases = ['var/lib/rpm', 'usr/lib/sysimage/rpm'].flatMap((folder) =>
  ['rpmdb.sqlite', 'rpmdb.sqlite-wal', 'Packages', 'Packages.db'].map((name) => `${folder}/${name}`),
)

/** A value that changes when packages are installed or removed. */
export async function packageStamp(root = '/'): Promise<string> {
  const files = [dpkgStatus, dpkgStatusFolder, ...apkDatabases, ...rpmDatabases]
  const times = files.map((file) => stat(join(root, file)).catch(() => undefined))
  return (await Promise.all(times)).map((found) => found?.mtimeMs ?? 0).join(' ')
}

/**
 * @returns no packages for a package manager that isn't used on this machine
 * @throws if a database can't be read: fewer packages would mean that their risks are resolved
 */
export async function readPackages(root = '/'): Promise<InventoryPackage[]> {
  const [dpkg, apk, rpm] = await Promise.all([readDpkg(root), readApk(root), readRpm(root)])
  return [...dpkg, ...apk, ...rpm]
}

async function readDpkg(root: string): Promise<InventoryPackage[]> {
  const folder = join(root, dpkgStatusFolder)
  const names = await readdir(folder).catch(() => [])
  const files = names.filter((name) => !name.endsWith('.md5sums')).map((name) => join(folder, name))
  const texts = await Promise.all([join(root, dpkgStatus), ...files].map(readText))
  return texts.flatMap(parseDpkgStatus)
}

/** Parses installed packages from dpkg's status file (deb822(5), dpkg-query(1)). */
export function parseDpkgStatus(text: string): InventoryPackage[] {
  return text.split(/\n{2,}/).flatMap((paragraph) => {
    const fields = fieldsOf(paragraph)
    const [name, version] = [fields.get('Package'), fields.get('Version')]
    const isInstalled = (fields.get('Status') ?? 'install ok installed').endsWith(' installed')
    if (!name || !version || !isInstalled) return []
    // The version is given only if it differs from that of the package.
    const [, source = name, sourceVersion = version] = /^(\S+)(?: \((.*)\))?$/.exec(fields.get('Source') ?? '') ?? []
    return [toPackage('dpkg', { name, version, architecture: fields.get('Architecture') ?? '', source, sourceVersion })]
  })
}

/**
 * The values of lines such as `Name: value`. Continuation lines start with a space, so they aren't parsed as fields.
 */
function fieldsOf(paragraph: string): ReadonlyMap<string, string> {
  return new Map(
    paragraph.split('\n').map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, Math.max(0, colon)), line.slice(colon + 1).trim()]
    }),
  )
}

async function readApk(root: string): Promise<InventoryPackage[]> {
  const texts = await Promise.all(apkDatabases.map((file) => readText(join(root, file))))
  // One path can be a link to the other.
  return parseApkInstalled(texts.find((text) => text !== '') ?? '')
}

/** Parses apk's database of installed packages. */
export function parseApkInstalled(text: string): InventoryPackage[] {
  return text.split(/\n{2,}/).flatMap((paragraph) => {
    const fields = fieldsOf(paragraph)
    const [name, version] = [fields.get('P'), fields.get('V')]
    if (!name || !version) return []
    const source = fields.get('o') || name
    return [toPackage('apk', { name, version, architecture: fields.get('A') ?? '', source, sourceVersion: version })]
  })
}

const rpmFormat = String.raw`%{NAME}\t%{EPOCHNUM}:%{VERSION}-%{RELEASE}\t%{ARCH}\t%{SOURCERPM}\n`
const run = promisify(execFile)

/** Uses the rpm tool, because its database has no documented format. */
async function readRpm(root: string): Promise<InventoryPackage[]> {
  try {
    const options = { timeout: 60_000, maxBuffer: 32 * 1024 * 1024, env: { PATH: process.env['PATH'], LC_ALL: 'C' } }
    const from = root === '/' ? [] : ['--root', root]
    return parseRpmQuery((await run('rpm', [...from, '-qa', '--qf', rpmFormat], options)).stdout)
  } catch (error) {
    // On Debian, the tool without a database fails for unprivileged users.
    const databases = rpmDatabases.map((file) => stat(join(root, file)).catch(() => undefined))
    if (isMissing(error) || (await Promise.all(databases)).every((found) => found === undefined)) return []
    throw error
  }
}

/** Parses the output of `rpm -qa` in `rpmFormat`. */
export function parseRpmQuery(text: string): InventoryPackage[] {
  return text.split('\n').flatMap((line) => {
    const [name = '', fullVersion = '', architecture = '', sourceFile = ''] = line.split('\t')
    // Public keys are stored like packages.
    if (name === '' || name === 'gpg-pubkey') return []
    const version = fullVersion.replace(/^0:/, '')
    const [, epoch = ''] = /^(\d+:)/.exec(version) ?? []
    const [, source = name, sourceVersion] = /^(.+)-([^-]+-[^-]+)\.(?:no)?src\.rpm$/.exec(sourceFile) ?? []
    // File names have no epoch; source and binary packages share it.
    return [
      toPackage('rpm', {
        name,
        version,
        architecture,
        source,
        sourceVersion: sourceVersion === undefined ? version : `${epoch}${sourceVersion}`,
      }),
    ]
  })
}

function toPackage(
  manager: InventoryPackage['manager'],
  fields: Omit<InventoryPackage, 'kind' | 'manager'>,
): InventoryPackage {
  return {
    kind: 'package',
    manager,
    name: fields.name.slice(0, 200),
    version: fields.version.slice(0, 200),
    architecture: fields.architecture.slice(0, 40),
    source: fields.source.slice(0, 200),
    sourceVersion: fields.sourceVersion.slice(0, 200),
  }
}

async function readText(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    if (isMissing(error)) return ''
    throw error
  })
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
}
