/** What the portal says elsewhere: a process has one time zone, so another one is asked. */
import { execFileSync } from 'node:child_process'

/**
 * Works out an expression where the clock shows the time of a zone.
 *
 * @param zone IANA name
 * @param module such as `#lib/format.ts`, whose exports the expression uses as `it`
 */
export function inZone(zone: string, module: string, expression: string): string {
  const script = `const it = await import('${module}'); console.log(${expression})`
  const node = ['--input-type=module', '--eval', script]
  return execFileSync(process.execPath, node, { env: { TZ: zone }, cwd: import.meta.dirname, encoding: 'utf8' }).trim()
}
