import { expect, it } from 'vitest'
import { staleAfter } from '#shell/live.ts'

it.each([
  ['EVENT_SCAN_CHANGED', '/v1/scans', true],
  ['EVENT_SCAN_CHANGED', '/v1/issues', false],
  ['EVENT_SCAN_COMPLETED', '/v1/issues', true],
  ['EVENT_ISSUE_REGRESSED', '/v1/stats', true],
  ['EVENT_AGENT_DISCONNECTED', '/v1/agents', true],
  ['EVENT_OF_TOMORROW', '/v1/issues', false],
])('%s makes %s stale: %s', (kind, path, isStale) => expect(staleAfter(kind).includes(path)).toBe(isStale))
