import type { Scanning } from '#scans/index.ts'
import type { TestServer } from '#testing/test-server.ts'

/** Scan settings without packs or address limits. */
export function scanningIn({ database, jobs }: TestServer): Scanning {
  return {
    database,
    jobs,
    log: { info() {}, warn() {}, error() {} },
    packs: { checks: [], fingerprints: [], threats: [], distributions: [], lifecycles: [] },
    knowledge: {},
    startTime: new Date(),
    networks: 'all',
    ownEndpoints: [],
  }
}
