/** Identifies the same programs with nmap, for comparison. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Observation } from '@glacis/contract/runner'
import type { Run } from './start.ts'

const execute = promisify(execFile)
const timeoutMs = 240_000

/** The names of one program, as identified by nmap and by Glacis. */
export interface Comparison {
  readonly id: string
  readonly nmap: string
  readonly ours: string
}

/** @returns undefined where nmap isn't installed or failed */
export async function compareWithNmap(
  { entry, address }: Run,
  observations: readonly Observation[],
): Promise<Comparison | undefined> {
  const ports = entry.weak.tcp ?? entry.tcp
  if (ports.length === 0) return undefined
  const args = ['-sV', '--version-all', '-Pn', '-n', '-p', ports.join(','), '-oX', '-', address]
  try {
    const { stdout } = await execute('nmap', args, { timeout: timeoutMs })
    return { id: entry.id, nmap: namesIn(stdout), ours: oursIn(observations) }
  } catch {
    return undefined
  }
}

function namesIn(xml: string): string {
  const services = [...xml.matchAll(/<service\b[^>]*>/g)].map(([tag]) => {
    const value = (name: string) => new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? ''
    return value('product') === '' ? '' : `${value('product')} ${value('version')}`.trim()
  })
  return [...new Set(services.filter((name) => name !== ''))].join(', ')
}

function oursIn(observations: readonly Observation[]): string {
  const names = observations.flatMap((item) =>
    item.kind === 'technology' ? [`${item.wfn.product} ${item.wfn.version.replace(/^[*-]$/, '')}`.trim()] : [],
  )
  return [...new Set(names)].join(', ')
}
