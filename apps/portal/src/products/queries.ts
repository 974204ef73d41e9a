/** What the portal asks of products. */
import { type InputOf } from '@glacis/contract/endpoint'
import { getProduct, listProducts } from '@glacis/contract/inventory'
import { keepPreviousData } from '@tanstack/react-query'
import { query } from '#api/query.ts'

export function list(input: InputOf<typeof listProducts>) {
  return { ...query(listProducts, input), placeholderData: keepPreviousData }
}

export function one(id: string) {
  return query(getProduct, { id })
}
