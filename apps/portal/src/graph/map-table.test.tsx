import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { MapTable } from '#graph/map-table.tsx'
import { toMapGraph } from '#graph/model.ts'

it('shows truncated cell text in a tooltip', () => {
  const hosts = [1, 2, 3, 4, 5, 6, 7].map((number) => `host-${number}`)
  const graph = toMapGraph({
    nodes: [
      { id: 'p', name: 'nginx', kind: 'KIND_PRODUCT' },
      ...hosts.map((name) => ({ id: name, name, kind: 'KIND_HOST' })),
    ],
    links: hosts.map((name) => ({ sourceNodeId: name, targetNodeId: 'p' })),
  })
  render(<MapTable graph={graph} onNode={() => {}} />)
  const expected = 'host-1, host-2, host-3, host-4, host-5, host-6 and 1 more'
  expect(screen.getByTitle(expected).textContent).toBe(expected)
})
