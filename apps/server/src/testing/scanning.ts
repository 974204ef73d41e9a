import type { Scanning } from '#scans/index.ts'
import type { House } from '#testing/house.ts'

/** Scans of a house that know nothing and may go anywhere. */
export function scanningIn({ database, jobs }: House): Scanning {
  return {
    database,
    jobs,
    log: { info() {}, warn() {}, error() {} },
    packs: { checks: [], fingerprints: [], threats: [], distributions: [], lifecycles: [] },
    knowledge: {},
    networks: 'all',
    ownEndpoints: [],
  }
}
