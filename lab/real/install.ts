/** Puts the programs of the laboratory in place: npm's in a cache folder, Debian's by apt where we are root. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { debianRows, everywhereRow } from './debian.ts'
import { npmRows, trapRows } from './npm.ts'
import type { Row } from './row.ts'

/** Packages that get in each other's way are unpacked instead of installed. */
const unpacked = new Set(['exim4-daemon-light', 'exim4-base'])

/** Where the packages of a row stand. */
export function packagesOf(cache: string, { id, packages }: Row): string {
  return packages.some((name) => unpacked.has(name)) ? join(cache, 'debian', id) : join(cache, 'npm', id)
}

/**
 * Installs what is missing. What cannot be installed here is told and left out.
 *
 * @returns the rows that can be started
 */
export function install(cache: string, say: (line: string) => void): readonly Row[] {
  const npm = npmRows.filter((row) => installNpm(packagesOf(cache, row), row, say))
  return [...trapRows, ...npm, ...installDebian(cache, say)]
}

function installNpm(folder: string, { id, packages }: Row, say: (line: string) => void): boolean {
  const stamp = join(folder, 'installed')
  const wanted = packages.join(' ')
  if (wanted === '' || (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted)) return true
  say(`Installing ${id}: ${wanted}`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), `{"name":"lab-${id.toLowerCase()}","private":true}`)
  const words = ['install', '--no-audit', '--no-fund', '--loglevel=error', ...packages]
  const { status, stderr } = spawnSync('npm', words, { cwd: folder, encoding: 'utf8', timeout: 300_000 })
  if (status === 0) writeFileSync(stamp, wanted)
  else say(`${id} is left out: npm says ${stderr.split('\n', 1)[0]}`)
  return status === 0
}

function installDebian(cache: string, say: (line: string) => void): readonly Row[] {
  const rows = [...debianRows, everywhereRow]
  if (process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).status !== 0) {
    say('The Debian part is left out: it takes root and apt-get.')
    return []
  }
  const missing = rows.flatMap(({ packages }) => packages).filter((name) => !unpacked.has(name) && !isInstalled(name))
  if (missing.length > 0) aptInstall([...new Set(missing)], say)
  for (const row of rows) if (row.packages.some((name) => unpacked.has(name))) unpack(packagesOf(cache, row), row)
  const isReady = (row: Row) => row.packages.every((name) => unpacked.has(name) || isInstalled(name))
  for (const row of rows.filter((one) => !isReady(one))) say(`${row.id} is left out: ${row.packages.join(' ')}`)
  return rows.filter(isReady)
}

function isInstalled(name: string): boolean {
  const { status, stdout } = spawnSync('dpkg-query', ['-W', '-f', '${Status}', name], { encoding: 'utf8' })
  return status === 0 && stdout.includes('install ok installed')
}

/** While `policy-rc.d` says 101 no package starts its own service. */
function aptInstall(names: readonly string[], say: (line: string) => void): void {
  say(`Installing by apt-get: ${names.join(' ')}`)
  const policy = '/usr/sbin/policy-rc.d'
  const isOurs = !existsSync(policy)
  if (isOurs) writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  try {
    spawnSync('apt-get', ['update'], { env, stdio: 'ignore' })
    spawnSync('apt-get', ['install', '-y', '--no-install-recommends', ...names], { env, stdio: 'ignore' })
  } finally {
    if (isOurs) rmSync(policy)
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
