import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    // Most of them wait for sockets and not for the processor.
    maxWorkers: 3,
    projects: [
      {
        test: {
          name: 'node',
          include: [
            'packages/*/src/**/*.test.ts',
            'apps/server/src/**/*.test.ts',
            'apps/agent/src/**/*.test.ts',
            'tools/**/*.test.ts',
            'packs/**/*.test.ts',
            'lab/**/*.test.ts',
          ],
          globalSetup: ['apps/server/src/testing/cluster.ts'],
          // Tests load through Node's own type stripping, as the product does.
          experimental: { viteModuleRunner: false },
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      'apps/portal/vite.config.ts',
      {
        // The whole product in a browser: each story with its own product, addresses and ports, two at a time.
        test: {
          name: 'e2e',
          include: ['e2e/**/*.spec.ts'],
          experimental: { viteModuleRunner: false },
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
          testTimeout: 60_000,
          hookTimeout: 120_000,
          expect: { poll: { timeout: 15_000 } },
        },
      },
    ],
  },
})
