/** What the overview asks beyond the readings of other nouns. */
import { type InputOf } from '@glacis/contract/endpoint'
import { statsSummary } from '@glacis/contract/insights'
import { keepPreviousData } from '@tanstack/react-query'
import { query } from '#api/query.ts'

/** The figures at the head of the overview. */
export function summary(input: InputOf<typeof statsSummary>) {
  return { ...query(statsSummary, input), placeholderData: keepPreviousData }
}
