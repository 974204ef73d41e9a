// Types alone: building the portal needs no tool for tests.
/// <reference types="vitest/config" />
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { compressed } from './compress.ts'
import { lateSchemas } from './late-schemas.ts'
import { pageParts } from './page-parts.ts'
import { zodDiet } from './zod-diet.ts'

/** In development the pages come from here and everything else from a server that runs beside. */
const server = process.env['GLACIS_DEV_SERVER'] ?? 'http://127.0.0.1:3000'
const served = ['/config.json', '/v1', '/self-service', '/sessions', '/.well-known', '/schemas', '/health', '/docs']

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss(), zodDiet(), lateSchemas(), pageParts(), compressed()],
  build: {
    outDir: 'dist',
    assetsDir: 'files',
    emptyOutDir: false,
    target: 'es2024',
    modulePreload: { polyfill: false },
  },
  server: { host: '127.0.0.1', proxy: Object.fromEntries(served.map((path) => [path, { target: server }])) },
  test: {
    name: 'portal',
    environment: 'happy-dom',
    include: ['src/**/*.test.{ts,tsx}'],
    // Each file has its own modules and page; what it takes to make them is there once.
    pool: 'vmThreads',
    maxWorkers: 4,
    setupFiles: ['src/lib/testing/patience.ts'],
    testTimeout: 60_000,
  },
})
