import { expect, it, vi } from 'vitest'
import { z } from 'zod'
import { late } from '#lib/late.ts'

it('makes nothing before it is looked at, and then once', () => {
  const make = vi.fn(() => ({ path: '/v1/scans' }))
  const endpoint = late(make)
  expect(make).not.toHaveBeenCalled()
  expect([endpoint.path, endpoint.path]).toEqual(['/v1/scans', '/v1/scans'])
  expect(make).toHaveBeenCalledOnce()
})

it('says what is known of it without making it', () => {
  const make = vi.fn(() => ({ method: 'GET', path: '/v1/scans' }))
  const endpoint = late(make, { path: '/v1/scans' })
  expect(endpoint.path).toBe('/v1/scans')
  expect(make).not.toHaveBeenCalled()
  expect({ ...endpoint }).toEqual({ method: 'GET', path: '/v1/scans' })
})

it('is spread and listed as what it stands for', () => {
  const endpoint = late(() => ({ method: 'GET', path: '/v1/scans' }))
  expect({ ...endpoint }).toEqual({ method: 'GET', path: '/v1/scans' })
  expect('method' in endpoint).toBe(true)
})

it('is a schema that reads, is part of others and can be extended', () => {
  const Host = late(() => z.object({ name: z.string(), seen: z.number().default(0) }))
  const Level = late(() => z.enum(['low', 'high']))
  const Page = late(() => z.object({ hosts: z.array(Host), level: Level.exclude(['low']).optional() }))
  const input = { hosts: [{ name: 'a' }], level: 'high' }
  expect(Page.parse(input)).toEqual({ hosts: [{ name: 'a', seen: 0 }], level: 'high' })
  expect(Page.safeParse({ hosts: [{ name: 1 }] }).error?.issues[0]?.path).toEqual(['hosts', 0, 'name'])
  expect(Page.safeParse({ hosts: [], level: 'low' }).success).toBe(false)
  expect(Host.extend({ port: z.number() }).shape.name).toBe(Host.shape.name)
  expect(Host instanceof z.ZodObject).toBe(true)
})

it('calls the methods of what keeps hidden members', () => {
  const ago = late(() => new Intl.RelativeTimeFormat('en-CH'))
  expect(ago.format(-2, 'day')).toBe('2 days ago')
})
