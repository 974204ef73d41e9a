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
  defaultModelsExpandDepth: -1,
  displayRequestDuration: true,
  validatorUrl: null,
  plugins: [({ fn }) => {
    const { resolveSubtree } = fn
    return { fn: { resolveSubtree: (description, path, options) => resolveSubtree(partOf(description, path), path, options) } }
  }],
})
// Swagger UI resolves the whole description again for each part that it shows, which takes seconds.
function partOf(description, path) {
  const { schemas: allSchemas, ...components } = description.components
  const schemas = {}
  const addSchemas = (value) => {
    for (const [, name] of JSON.stringify(value ?? null).matchAll(/"#\\/components\\/schemas\\/([^"]+)"/g)) {
      if (name in schemas) continue
      schemas[name] = allSchemas[name]
      addSchemas(schemas[name])
    }
  }
  const part = path.reduce((value, name) => value?.[name], description)
  addSchemas([part, components])
  return {
    ...description,
    paths: {},
    ...path.reduceRight((value, name) => ({ [name]: value }), part),
    components: { ...components, schemas },
  }
}
`

const style = `
.swagger-ui,.swagger-ui .info{font-family:inherit}.swagger-ui .info{margin:1.5rem 0}
.swagger-ui :is(.info .title,.info :is(h2,p,li),.opblock-tag,.opblock-summary-description,label,td,th,button,input,select){font-family:inherit}
.swagger-ui .info .title{font-size:24px;line-height:32px}.swagger-ui .info .title small{vertical-align:middle}
.swagger-ui .info h2{margin:1.25rem 0 .25rem;font-size:16px;line-height:24px}
.swagger-ui .info :is(p,li){margin:.25rem 0;max-width:68ch;font-size:14px;line-height:22px}
.swagger-ui :is(.markdown,.renderedMarkdown) :is(code,pre){color:inherit!important;background:var(--fill)!important;font-weight:400}
.swagger-ui .info pre{max-width:68ch;margin:.5rem 0;padding:.75rem 1rem;border-radius:8px}.swagger-ui .info pre code{padding:0}
html.dark-mode{background:#101315}html.dark-mode body{background:inherit}
`
