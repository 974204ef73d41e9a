/** The project's documentation as pages, so that it can be read without a network. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { documentPage, documentStyle } from '#http/document-page.ts'
import { frameStyle } from '#http/page-frame.ts'
import type { FastifyInstance } from 'fastify'

/** In the order of the navigation. Names are below `/docs/`; those without a file are in `docs/NAME.md`. */
const sections = {
  'Get started': ['help', 'quick-start', 'concepts', 'scanning-safely'],
  'Use Glacis': ['teams', 'roles', 'agents', 'command-line', 'notifications', 'using-the-api', 'checks', 'detection'],
  'Run Glacis': [
    'settings',
    'administration',
    'backup-and-upgrade',
    'deployment',
    'scaling',
    'monitoring',
    'identity',
    'single-sign-on',
    'kratos',
  ],
  'Get help': ['troubleshooting', 'faq', 'security', 'security-guarantees'],
  Project: ['releases', 'licence'],
} as const
type Name = (typeof sections)[keyof typeof sections][number]

const otherFiles: Partial<Record<Name, string>> = {
  help: 'docs/index.md',
  releases: 'CHANGELOG.md',
  licence: 'LICENSE',
  security: 'SECURITY.md',
}
const imagesFolder = 'docs/images'
/** Files of the built portal. */
const portalFiles = 'apps/portal/dist/files'

/** Serves the documents that this installation has; links between them lead from page to page. */
export function serveDocuments(app: FastifyInstance, root: string): void {
  const documents = readDocuments(root)
  const urlByFile = new Map(documents.map(({ file, url }) => [file, url]))
  for (const name of filesIn(join(root, imagesFolder)).filter((file) => /^[\w.-]+\.png$/.test(file))) {
    const url = `/docs/images/${name}`
    urlByFile.set(`${imagesFolder}/${name}`, url)
    app.get(url, async (_request, reply) => reply.type('image/png').send(readFileSync(join(root, imagesFolder, name))))
  }
  // A build while the server runs renames the font files.
  app.get('/docs/frame.css', async (_request, reply) =>
    reply.type('text/css').send(frameStyle(filesIn(join(root, portalFiles)))),
  )
  app.get('/docs/documents.css', async (_request, reply) => reply.type('text/css').send(documentStyle))
  for (const { file, url, markdown } of documents) {
    let page: string | undefined
    const render = () =>
      (page ??= documentPage({ markdown, url, documents, urlOf: (link) => urlFor(file, link, urlByFile) }))
    app.get(url, async (_request, reply) => reply.type('text/html; charset=utf-8').send(render()))
  }
  const missing = documentPage({ markdown: pageNotFound, url: '', documents, urlOf: () => undefined })
  app.get('/docs/*', async (request, reply) => {
    if (!request.headers.accept?.includes('text/html')) return reply.callNotFound()
    return reply.code(404).type('text/html; charset=utf-8').send(missing)
  })
}

const pageNotFound = '# Page not found\n\nThe documentation has no page at this address. Choose a page from the list.'

function readDocuments(root: string) {
  return Object.entries(sections).flatMap(([section, names]) =>
    names.flatMap((name) => {
      const file = otherFiles[name] ?? `docs/${name}.md`
      if (!existsSync(join(root, file))) return []
      const markdown = markdownOf(file, readFileSync(join(root, file), 'utf8'))
      return [{ section, url: `/docs/${name}`, file, markdown, title: titleOf(markdown) ?? basename(file) }]
    }),
  )
}

/** The license is plain text: it gets a title and is shown verbatim. */
function markdownOf(file: string, text: string): string {
  return file.endsWith('.md') ? text : `# License\n\n${text.replaceAll(/^/gm, '    ')}`
}

function titleOf(markdown: string): string | undefined {
  return /^# (.+)$/m.exec(markdown)?.[1]
}

function filesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : []
}

/** The URL of the page or image that a relative link of a file leads to. */
function urlFor(file: string, link: string, urlByFile: ReadonlyMap<string, string>): string | undefined {
  const { pathname, hash } = new URL(link, `file:///${file}`)
  const url = urlByFile.get(pathname.slice(1))
  return url && `${url}${hash}`
}
