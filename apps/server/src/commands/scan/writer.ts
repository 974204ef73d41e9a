/** The three ways in which the command says what it saw. */
import type { CheckInfo } from '@glacis/scanner'
import type { Format } from '#commands/scan/order.ts'
import type { Finding, Seen } from '#commands/scan/result.ts'
import { sarifOf } from '#commands/scan/sarif.ts'
import { textOf } from '#commands/scan/text.ts'

export interface Writer {
  take(seen: Seen): void
  /** Writes what could not be written before the end. */
  end(): void
}
export type Checks = ReadonlyMap<string, CheckInfo>

/** JSON lines are written as they come, a text per host as soon as the host is done, SARIF at the end. */
export function writerOf(format: Format, checks: Checks, write: (text: string) => void): Writer {
  if (format === 'json') return jsonWriter(checks, write)
  const seen: Seen[] = []
  const render = format === 'sarif' ? sarifOf : textOf
  return { take: (one) => void seen.push(one), end: () => write(render(seen, checks)) }
}

function jsonWriter(checks: Checks, write: (text: string) => void): Writer {
  return {
    take(seen) {
      // The list of its ports that have closed matters to a history, which this command has none of.
      if (seen.kind === 'closed') return
      write(`${JSON.stringify(seen.kind === 'finding' ? findingLine(seen, checks) : seen)}\n`)
    },
    end: () => undefined,
  }
}

function findingLine(finding: Finding, checks: Checks) {
  const { kind, check, threat, address, port, location, quality, evidence, ...rest } = finding
  const { severity = 'unknown', name = check } = checks.get(check) ?? {}
  return { kind, check, threat, severity, name, host: address, port, location, quality, evidence, ...rest }
}
