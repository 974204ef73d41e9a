/** Output writers for the three formats. */
import type { OutputFormat } from '#commands/scan/arguments.ts'
import type { Checks, Finding, HostObservation } from '#commands/scan/result.ts'
import { sarifReport } from '#commands/scan/sarif.ts'
import { textReport } from '#commands/scan/text.ts'

export interface Writer {
  add(observation: HostObservation): void
  /** Writes buffered output. */
  end(): void
}

/** JSON is written per observation, text and SARIF at the end. */
export function createWriter(format: OutputFormat, checks: Checks, write: (text: string) => void): Writer {
  if (format === 'json') return jsonWriter(checks, write)
  const observations: HostObservation[] = []
  const render = format === 'sarif' ? sarifReport : textReport
  return { add: (item) => void observations.push(item), end: () => write(render(observations, checks)) }
}

function jsonWriter(checks: Checks, write: (text: string) => void): Writer {
  return {
    add(observation) {
      // Closed ports only matter for scan history, which this command doesn't have.
      if (observation.kind === 'closed') return
      write(`${JSON.stringify(observation.kind === 'finding' ? findingLine(observation, checks) : observation)}\n`)
    },
    end: () => undefined,
  }
}

function findingLine(finding: Finding, checks: Checks) {
  const { kind, check, threat, address, port, location, quality, evidence, ...rest } = finding
  const { severity = 'unknown', name = check } = checks.get(check) ?? {}
  return { kind, check, threat, severity, name, host: address, port, location, quality, evidence, ...rest }
}
