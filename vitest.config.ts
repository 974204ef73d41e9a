import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** What takes longest begins first, or it would be waited for at the end by itself. */
const longest = [
  'identity/src/fuzz.test',
  'packs/network.test',
  'scan/scan.test',
  'native/native.test',
  'commands/identity.test',
  'checks/checks.test',
  'scanner/src/identify.test',
  'database/embedded.test',
  'http/hot-queries.test',
  'scanner/src/hostile.test',
  'packs/import.test',
  'native/rdp.test',
  'packs/killed.test',
  'e2e/axe-phone',
  'e2e/axe-desktop',
  'e2e/agents',
  'e2e/bundle',
  'e2e/sign-in',
  'e2e/story',
  'e2e/zoom',
]
/** What these look at is one for the whole process: they need one that did nothing before. */
const alone = ['apps/server/src/database/transaction.test.ts', 'apps/server/src/http/pressure.test.ts']

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const found = longest.findIndex((part) => moduleId.includes(part))
      return found < 0 ? longest.length : found
    }
    return (await super.sort(files)).sort((a, b) => place(a) - place(b))
  }
}

export default defineConfig({
  test: {
    // Most of them wait for sockets and not for the processor.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
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
          ],
          globalSetup: ['apps/server/src/testing/cluster.ts'],
          // Tests load through Node's own type stripping, as the product does.
          experimental: { viteModuleRunner: false },
          exclude: [...configDefaults.exclude, ...alone],
          // Files share what they import: to load it anew for each took a fifth of all processor time.
          isolate: false,
          testTimeout: 60_000,
          hookTimeout: 120_000,
          // A busy machine makes a test slow, not wrong.
          expect: { poll: { timeout: 15_000 } },
        },
      },
      {
        test: {
          name: 'alone',
          include: alone,
          globalSetup: ['apps/server/src/testing/cluster.ts'],
          experimental: { viteModuleRunner: false },
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      'apps/portal/vite.config.ts',
      {
        // The whole product in a browser: each story with its own product, addresses and ports.
        test: {
          name: 'e2e',
          include: ['e2e/**/*.spec.ts'],
          experimental: { viteModuleRunner: false },
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
          testTimeout: 60_000,
          hookTimeout: 120_000,
          expect: { poll: { timeout: 15_000 } },
        },
      },
    ],
  },
})
