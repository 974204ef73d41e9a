/** From which severity on somebody wants to be told, in words. */
import type { SeverityLevel } from '#ui/severity.tsx'

export type NotifyWord = 'critical' | 'high' | 'medium' | 'low' | 'all'

/** The score at which each word begins (CVSS 3.1, section 5). */
export const notifyScores: Readonly<Record<NotifyWord, number>> = { critical: 9, high: 7, medium: 4, low: 0.1, all: 0 }
export const notifyOptions: readonly {
  readonly word: NotifyWord
  readonly label: string
  readonly level: SeverityLevel
}[] = [
  { word: 'critical', label: 'Critical', level: 'critical' },
  { word: 'high', label: 'High', level: 'high' },
  { word: 'medium', label: 'Medium', level: 'medium' },
  { word: 'low', label: 'Low', level: 'low' },
  { word: 'all', label: 'Everything', level: 'none' },
]

/** The word for a score; a score between two words keeps its number beside it. */
export function notifyWord(score: number): NotifyWord {
  return notifyOptions.find(({ word }) => score >= notifyScores[word])?.word ?? 'all'
}

/** "High", or "7.5" where somebody chose a number between the words. */
export function notifyLabel(score: number): string {
  const word = notifyWord(score)
  const label = notifyOptions.find((option) => option.word === word)?.label ?? ''
  return score === notifyScores[word] ? label : `${label}, ${score.toFixed(1)}`
}
