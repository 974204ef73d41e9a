import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** These measure state of the whole process or replace modules, so each needs a process of its own. */
const alone = [
  'apps/server/src/database/transaction.test.ts',
  'apps/server/src/http/pressure.test.ts',
  'packages/identity/src/flow/same-work.test.ts',
]

/** Files that wait longest, so that others run beside them rather than before them. */
const first = [
  'faults/faults.spec.ts',
  'e2e/axe.spec.ts',
  'soak/closed-network.spec.ts',
  'apps/server/src/commands/upgrade-postgres.test.ts',
]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isFirst = ({ moduleId }: TestSpecification) => Number(first.some((file) => moduleId.endsWith(`/${file}`)))
    return (await super.sort(files)).toSorted((a, b) => isFirst(b) - isFirst(a))
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    // Most tests wait for sockets rather than the CPU. With more workers, a busy machine would make each of them slower.
    maxWorkers: 4,
    projects: [
      {
        test: {
          name: 'node',
          include: [
            'packages/*/src/**/*.test.ts',
            'apps/server/src/**/*.test.ts',
            'apps/agent/src/**/*.test.ts',
            'apps/portal/*.test.ts',
            'tools/**/*.test.ts',
            'packs/**/*.test.ts',
            'lab/**/*.test.ts',
            'fuzz/**/*.test.ts',
          ],
          globalSetup: ['apps/server/src/testing/cluster.ts'],
          // Tests run through Node's own type stripping, as the product does.
          experimental: { viteModuleRunner: false },
          exclude: [...configDefaults.exclude, ...alone],
          // Files share imported modules; loading them again for each file took a fifth of the CPU time.
          isolate: false,
          testTimeout: 120_000,
          hookTimeout: 240_000,
          // A busy machine makes a test slow, not wrong.
          expect: { poll: { timeout: 30_000 } },
        },
      },
      {
        test: {
          name: 'alone',
          include: alone,
          globalSetup: ['apps/server/src/testing/cluster.ts'],
          experimental: { viteModuleRunner: false },
          testTimeout: 120_000,
          hookTimeout: 240_000,
        },
      },
      'apps/portal/vite.config.ts',
      {
        // The whole product in a browser. Each file has its own user and addresses.
        test: {
          name: 'e2e',
          include: ['e2e/**/*.spec.ts', 'faults/**/*.spec.ts', 'scale/**/*.spec.ts', 'soak/**/*.spec.ts'],
          globalSetup: ['e2e/shared-product.ts'],
          experimental: { viteModuleRunner: false },
          testTimeout: 120_000,
          hookTimeout: 240_000,
          expect: { poll: { timeout: 30_000 } },
        },
      },
      {
        // Only by `npm run soak`: long runs, one after the other.
        test: {
          name: 'soak',
          include: ['soak/**/*.soak.ts'],
          experimental: { viteModuleRunner: false },
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
          testTimeout: 3_600_000,
          hookTimeout: 240_000,
        },
      },
    ],
  },
})
