/** Reads the installed versions of programs, which a scan should identify. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { VersionRule } from './entry.ts'

/**
 * @param packages folder of the program's packages
 * @returns undefined if the version can't be read remotely, or isn't known
 */
export function versionOf(rule: VersionRule, packages: string): string | undefined {
  if (rule === 'none') return undefined
  if (typeof rule === 'string') return rule
  if ('dpkg' in rule) return upstreamVersion(output('dpkg-query', ['-W', '-f', '${Version}', rule.dpkg]))
  if ('npm' in rule) return npmVersion(join(packages, 'node_modules', rule.npm, 'package.json'))
  if ('pip' in rule) return pipVersion(rule.pip, packages)
  if ('go' in rule) return goVersion(rule.go, packages)
  if ('cargo' in rule) return crateVersion(rule.cargo, packages)
  return output('sh', ['-c', `cd '${packages}' && ${rule.run}`]).trim() || undefined
}

/** Without the epoch, the distribution's revision, and repackaging suffixes. */
function upstreamVersion(text: string): string | undefined {
  return /^(?:\d+:)?(\d+(?:\.\d+)*)/.exec(text)?.[1]
}

function npmVersion(file: string): string | undefined {
  const about: unknown = JSON.parse(readFileSync(file, 'utf8'))
  return about && typeof about === 'object' && 'version' in about ? String(about.version) : undefined
}

function pipVersion(name: string, packages: string): string | undefined {
  const text = output(join(packages, 'venv/bin/pip'), ['show', name])
  return /^Version: (\S+)/m.exec(text)?.[1]
}

function goVersion(module: string, packages: string): string | undefined {
  const requirements = readFileSync(join(packages, 'go.mod'), 'utf8').split('\n')
  const [, version] =
    requirements.map((line) => /(\S+) v(\S+)/.exec(line)?.slice(1) ?? []).find(([path]) => path === module) ?? []
  return version?.replace('+incompatible', '')
}

/** From the list that `cargo install` keeps. */
function crateVersion(name: string, packages: string): string | undefined {
  const list = readFileSync(join(packages, '.crates.toml'), 'utf8').split('\n')
  return list.map((line) => /^"(\S+) (\S+) /.exec(line)).find((entry) => entry?.[1] === name)?.[2]
}

function output(program: string, args: readonly string[]): string {
  const { status, stdout } = spawnSync(program, args, { encoding: 'utf8' })
  return status === 0 ? stdout : ''
}
