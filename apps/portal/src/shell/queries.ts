/** What the shell itself asks for. */
import { search } from '@glacis/contract/search'
import { keepPreviousData } from '@tanstack/react-query'
import { query } from '#api/query.ts'

/** Everything whose name holds this text; what was found before stays until the answer is here. */
export function found(text: string) {
  return { ...query(search, { query: text }), placeholderData: keepPreviousData, staleTime: 10_000 }
}
