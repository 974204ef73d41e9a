/** The texts that the project ships with, as pages, so that they are there without a network. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { documentPage, documentStyle } from '#http/document-page.ts'
import { frameStyle } from '#http/page-frame.ts'
import type { FastifyInstance } from 'fastify'

/** Below `/docs/`, and the file that each one shows. */
const documents = {
  help: 'README.md',
  releases: 'CHANGELOG.md',
  licence: 'LICENSE',
  security: 'SECURITY.md',
  identity: 'docs/identity.md',
  kratos: 'docs/kratos.md',
} as const

const pictures = 'docs/images'
/** Of the built portal. */
const files = 'apps/portal/dist/files'

/** Serves those of them that this installation has; links between them lead from page to page. */
export function serveDocuments(app: FastifyInstance, root: string): void {
  const there = Object.entries(documents).filter(([, file]) => existsSync(join(root, file)))
  const addresses = new Map(there.map(([name, file]) => [file as string, `/docs/${name}`]))
  for (const name of picturesOf(root)) {
    const address = `/docs/images/${name}`
    addresses.set(`${pictures}/${name}`, address)
    app.get(address, async (_request, reply) => reply.type('image/png').send(readFileSync(join(root, pictures, name))))
  }
  // A build while the server runs brings files of new names.
  app.get('/docs/frame.css', async (_request, reply) =>
    reply.type('text/css').send(frameStyle(filesIn(join(root, files)))),
  )
  app.get('/docs/documents.css', async (_request, reply) => reply.type('text/css').send(documentStyle))
  for (const [name, file] of there) {
    let page: string | undefined
    const made = () => (page ??= pageOf(readFileSync(join(root, file), 'utf8'), file, addresses))
    app.get(`/docs/${name}`, async (_request, reply) => reply.type('text/html; charset=utf-8').send(made()))
  }
}

function picturesOf(root: string): string[] {
  return filesIn(join(root, pictures)).filter((name) => /^[\w.-]+\.png$/.test(name))
}

function filesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : []
}

/** What has no title of its own, such as a licence, is shown as it was written. */
function pageOf(text: string, file: string, addresses: ReadonlyMap<string, string>): string {
  const isMarkdown = file.endsWith('.md')
  return documentPage(isMarkdown ? text : `# Licence\n\n${asWritten(text)}`, (link) => addresses.get(from(file, link)))
}

function asWritten(text: string): string {
  return text.replaceAll(/^/gm, '    ')
}

/** A link of a file as a path in the project. */
function from(file: string, link: string): string {
  return new URL(link, `file:///${file}`).pathname.slice(1)
}
