import type { QueryClient } from '@tanstack/react-query'

export async function requireSession(_client: QueryClient, _href: string) {
  return {}
}
