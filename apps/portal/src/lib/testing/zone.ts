/** Evaluates code in another time zone. Runs a child process, because a process has only one time zone. */
import { execFileSync } from 'node:child_process'

/**
 * Evaluates an expression in the given time zone.
 *
 * @param zone IANA name
 * @param module such as `#lib/format.ts`; the expression accesses its exports as `it`
 */
export function inZone(zone: string, module: string, expression: string): string {
  const script = `const it = await import('${module}'); console.log(${expression})`
  const node = ['--input-type=module', '--eval', script]
  return execFileSync(process.execPath, node, { env: { TZ: zone }, cwd: import.meta.dirname, encoding: 'utf8' }).trim()
}
