/** Installs the programs: npm packages in a cache folder, Debian packages with apt as root. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { debianRows, everywhereRow } from './debian.ts'
import { npmRows, trapRows } from './npm.ts'
import type { Row } from './row.ts'

/** Packages that conflict with others are unpacked instead of installed. */
const unpacked = new Set(['exim4-daemon-light', 'exim4-base'])

/** The folder of a row's packages. */
export function packagesOf(cache: string, { id, packages }: Row): string {
  return packages.some((name) => unpacked.has(name)) ? join(cache, 'debian', id) : join(cache, 'npm', id)
}

/**
 * Installs missing programs. Those that can't be installed are reported and skipped.
 *
 * @returns the rows that can be started
 */
export function install(cache: string, log: (line: string) => void): readonly Row[] {
  const npm = npmRows.filter((row) => installNpm(packagesOf(cache, row), row, log))
  return [...trapRows, ...npm, ...installDebian(cache, log)]
}

function installNpm(folder: string, { id, packages }: Row, log: (line: string) => void): boolean {
  const stamp = join(folder, 'installed')
  const spec = packages.join(' ')
  if (spec === '' || (existsSync(stamp) && readFileSync(stamp, 'utf8') === spec)) return true
  log(`Installing ${id}: ${spec}`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), `{"name":"lab-${id.toLowerCase()}","private":true}`)
  const args = ['install', '--no-audit', '--no-fund', '--loglevel=error', ...packages]
  const { status, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8', timeout: 300_000 })
  if (status === 0) writeFileSync(stamp, spec)
  else log(`Skipping ${id}: npm failed with ${stderr.split('\n', 1)[0]}`)
  return status === 0
}

function installDebian(cache: string, log: (line: string) => void): readonly Row[] {
  const rows = [...debianRows, everywhereRow]
  if (process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).status !== 0) {
    log('Skipping Debian programs: root and apt-get are required.')
    return []
  }
  const missing = rows.flatMap(({ packages }) => packages).filter((name) => !unpacked.has(name) && !isInstalled(name))
  if (missing.length > 0) aptInstall([...new Set(missing)], log)
  for (const row of rows) if (row.packages.some((name) => unpacked.has(name))) unpack(packagesOf(cache, row), row)
  const isReady = (row: Row) => row.packages.every((name) => unpacked.has(name) || isInstalled(name))
  for (const row of rows.filter((item) => !isReady(item)))
    log(`Skipping ${row.id}: ${row.packages.join(' ')} could not be installed`)
  return rows.filter(isReady)
}

function isInstalled(name: string): boolean {
  const { status, stdout } = spawnSync('dpkg-query', ['-W', '-f', '${Status}', name], { encoding: 'utf8' })
  return status === 0 && stdout.includes('install ok installed')
}

/** A `policy-rc.d` that exits with 101 prevents packages from starting their services. */
function aptInstall(names: readonly string[], log: (line: string) => void): void {
  log(`Installing with apt-get: ${names.join(' ')}`)
  const policy = '/usr/sbin/policy-rc.d'
  const isCreatedByUs = !existsSync(policy)
  if (isCreatedByUs) writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  try {
    spawnSync('apt-get', ['update'], { env, stdio: 'ignore' })
    spawnSync('apt-get', ['install', '-y', '--no-install-recommends', ...names], { env, stdio: 'ignore' })
  } finally {
    if (isCreatedByUs) rmSync(policy)
  }
}

function unpack(folder: string, { packages }: Row): void {
  if (existsSync(join(folder, 'usr'))) return
  mkdirSync(folder, { recursive: true })
  execFileSync('apt-get', ['download', ...packages.filter((name) => unpacked.has(name))], {
    cwd: folder,
    stdio: 'ignore',
  })
  execFileSync('sh', ['-c', 'for file in *.deb; do dpkg -x "$file" .; done'], { cwd: folder })
}
