import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { expect, it } from 'vitest'
import { runNativeChecks } from '#native/testing/examine.ts'
import { software } from '#template/testing/site.ts'

const tomcat = software('Tomcat')
const sendManager = (response: ServerResponse) =>
  response
    .writeHead(401, { connection: 'close', 'www-authenticate': 'Basic realm="Tomcat Manager Application"' })
    .end('denied')

/** Findings on a proxy that publishes /docs/, and the requests that contain a path parameter. */
async function examine(
  managerPaths: readonly string[],
  technologies: readonly (typeof tomcat)[],
): Promise<{ found: string[]; sent: string[] }> {
  const sent: string[] = []
  const server = createServer(({ url = '' }, response) => {
    if (url.includes(';')) sent.push(url)
    if (managerPaths.includes(url)) return void sendManager(response)
    response.writeHead(url === '/docs/' ? 200 : 404, { connection: 'close' }).end('<p>documentation')
  }).listen(0, '127.67.3.1')
  await once(server, 'listening')
  const bound = server.address()
  const port = typeof bound === 'object' && bound ? bound.port : 0
  const { found } = await runNativeChecks({ port }, { protocol: 'http', technologies, ownFolder: '/docs/' }, [])
  server.closeAllConnections()
  server.close()
  return { found, sent }
}

it('reports a manager that only a path parameter reaches', async () => {
  const { found } = await examine(['/docs/..;/manager/html'], [tomcat])
  expect(found).toContain('tomcat-manager-through-path-parameter')
})

it('ignores a manager that the server publishes', async () => {
  const { found } = await examine(['/docs/..;/manager/html', '/manager/html'], [tomcat])
  expect(found).not.toContain('tomcat-manager-through-path-parameter')
})

it('sends no path parameter to other servers', async () => {
  const { found, sent } = await examine(['/docs/..;/manager/html'], [])
  expect(found).not.toContain('tomcat-manager-through-path-parameter')
  expect(sent).toEqual([])
})
