/** Labels for the notification threshold, which the API stores as a score. */
import type { SeverityLevel } from '#ui/severity.tsx'

export type ThresholdName = 'critical' | 'high' | 'medium' | 'low' | 'all'

/** The lowest score of each severity (CVSS v3.1 specification, section 5). */
export const thresholdScores: Readonly<Record<ThresholdName, number>> = {
  critical: 9,
  high: 7,
  medium: 4,
  low: 0.1,
  all: 0,
}
export const thresholdOptions: readonly {
  readonly name: ThresholdName
  readonly label: string
  readonly level: SeverityLevel
}[] = [
  { name: 'critical', label: 'Critical', level: 'critical' },
  { name: 'high', label: 'High', level: 'high' },
  { name: 'medium', label: 'Medium', level: 'medium' },
  { name: 'low', label: 'Low', level: 'low' },
  { name: 'all', label: 'Everything', level: 'none' },
]

export const thresholdExplanation = "You're notified about new threats of this severity or higher."

/** The severity whose range contains a score. */
export function thresholdName(score: number): ThresholdName {
  return thresholdOptions.find(({ name }) => score >= thresholdScores[name])?.name ?? 'all'
}

/** "High", or "High, 7.5" for a score between two severities. */
export function thresholdLabel(score: number): string {
  const name = thresholdName(score)
  const label = thresholdOptions.find((option) => option.name === name)?.label ?? ''
  return score === thresholdScores[name] ? label : `${label}, ${score.toFixed(1)}`
}
