/** Queries of the app shell. */
import { search } from '@glacis/contract/search'
import { keepPreviousData } from '@tanstack/react-query'
import { query } from '#api/query.ts'

/** Items whose name contains the text. Previous results stay visible until the new ones arrive. */
export function searchResults(text: string) {
  return { ...query(search, { query: text }), placeholderData: keepPreviousData, staleTime: 10_000 }
}
