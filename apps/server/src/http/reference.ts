/** The API reference: Swagger UI over our OpenAPI document, served from its package so that it works offline. */
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import { renderPage } from '#http/page-frame.ts'
import type { FastifyInstance } from 'fastify'

const viewerFolder = fileURLToPath(new URL('static', import.meta.resolve('@fastify/swagger-ui')))
const viewerFiles = /^\/swagger-ui(-bundle)?\.(css|js)$/

/** Serves `/docs/api`; the page reads `/v1/openapi.json`. */
export function serveReference(app: FastifyInstance): void {
  app.get('/docs/api', async (_request, reply) => reply.type('text/html; charset=utf-8').send(page))
  for (const url of ['/docs', '/docs/']) app.get(url, async (_request, reply) => reply.redirect('/docs/api'))
  app.get('/docs/api/start.js', async (_request, reply) => reply.type('text/javascript').send(script))
  app.get('/docs/api.css', async (_request, reply) => reply.type('text/css').send(style))
  void app.register(fastifyStatic, {
    root: viewerFolder,
    prefix: '/docs/api/',
    decorateReply: false,
    index: false,
    allowedPath: (path) => viewerFiles.test(path),
  })
}

const page = renderPage({
  title: 'API documentation · Glacis',
  styles: ['/docs/api/swagger-ui.css', '/docs/api.css'],
  scripts: ['/docs/api/swagger-ui-bundle.js', '/docs/api/start.js'],
  aside: '',
  main: '<div id="reference"></div>',
})

const script = `
const dark = matchMedia('(prefers-color-scheme: dark)')
const followTheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', followTheme)
followTheme()
SwaggerUIBundle({
  url: '/v1/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  validatorUrl: null,
})
`

const style = `
.swagger-ui .info{margin:1.5rem 0}.swagger-ui :is(.info .title,.info p,.opblock-tag,.opblock-summary-description,td,th,input,select){font-family:inherit}
html.dark-mode body{background:inherit}
`
