// Types only: building the portal doesn't require vitest.
/// <reference types="vitest/config" />
import { join } from 'node:path'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { compression } from 'vite-plugin-compression2'

/** In development, Vite serves the pages and proxies everything else to a running server. */
const server = process.env['GLACIS_DEV_SERVER'] ?? 'http://127.0.0.1:3000'
const served = ['/config.json', '/v1', '/self-service', '/sessions', '/.well-known', '/schemas', '/health', '/docs']

/**
 * Reduces each endpoint of the contract to its method and path. The server validates requests and types its responses, so
 * the portal needs no schemas of endpoints, which are 40 KB of JavaScript.
 */
const endpoints: Plugin = {
  name: 'endpoints',
  enforce: 'pre',
  transform: {
    filter: { id: /packages\/contract\/src\//, code: /= endpoint\(/ },
    handler: (code) =>
      code.replace(/= endpoint\(\{\s*(method: '\w+',\s*path: '[^']+'),[^]*?\n\}\)/g, '= endpoint({ $1 })'),
  },
}

export default defineConfig({
  root: import.meta.dirname,
  plugins: [endpoints, react(), tailwindcss(), compression({ algorithms: ['gzip', 'brotliCompress'], threshold: 0 })],
  build: {
    outDir: 'dist',
    assetsDir: 'files',
    target: 'es2024',
    // Styles of a single page are smaller than the cost of another request.
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // The public pages have their own document, which doesn't load the app.
      input: ['index.html', 'sign-in.html'].map((page) => join(import.meta.dirname, page)),
      // Lets the portal drop the endpoints and schemas of the contract that it doesn't use.
      treeshake: { manualPureFunctions: ['endpoint', 'z'] },
      output: {
        // By default, every set of pages that shares a module gets a file for it, which makes 50 small files per page. Over
        // HTTP/1.1, a few files of similar size load fastest. Both documents load react, router, and initial; sign-in.html
        // also loads sign-in, and index.html loads ui and app. The pages share the rest.
        codeSplitting: {
          groups: [
            { name: 'react', tags: ['$initial'], test: /node_modules\/(react|react-dom|scheduler)\//, priority: 4 },
            {
              name: 'router',
              tags: ['$initial'],
              test: /node_modules\/@tanstack\/(history|.*router|store)/,
              priority: 4,
            },
            {
              name: 'initial',
              tags: ['$initial'],
              test: /node_modules\/(?!lucide)|\/src\/(start|api\/|lib\/|routes\/(root|public)|ui\/(badge|brand|copy-field|field|note)\.)/,
              priority: 3,
            },
            {
              name: 'sign-in',
              tags: ['$initial'],
              test: /\/src\/(identity\/|routes\/(auth-frame|flow-pages))/,
              priority: 2,
            },
            // Used by nearly every page, so it loads with the app, even if only pages use it.
            { name: 'ui', test: /\/src\/(api|lib|ui|shell)\/|lucide/, minShareCount: 2, priority: 2 },
            { name: 'app', tags: ['$initial'], test: /\/src\/(?!main|sign-in)/, priority: 1 },
            {
              name: 'shared',
              test: /\/src\/(identity|scans|overview|hosts)\/|\/packages\/contract\/|query|queries/,
              minShareCount: 2,
            },
          ],
        },
      },
    },
  },
  server: { host: '127.0.0.1', proxy: Object.fromEntries(served.map((path) => [path, { target: server }])) },
  test: {
    name: 'portal',
    environment: 'happy-dom',
    include: ['src/**/*.test.{ts,tsx}'],
    // Isolates modules and page per file, but shares the environment's setup.
    pool: 'vmThreads',
    maxWorkers: 4,
    setupFiles: ['src/lib/testing/setup.ts'],
    testTimeout: 120_000,
  },
})
