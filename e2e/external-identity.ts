/** Test environment with an external identity service, at the same hostname behind a reverse proxy. */
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createServer, request as send, type Server } from 'node:http'
import { join } from 'node:path'
import { databaseFolder } from '../apps/server/src/testing/folder.ts'
import { type Product, startProduct } from '../lab/product.ts'
import { startTestOidcProvider, type TestOidcProvider } from '../packages/identity/src/testing/test-oidc-provider.ts'
import { kratosProgram, startKratos } from './kratos.ts'
import { freePort } from './ports.ts'

export interface ExternalIdentity {
  /** The address of both. */
  readonly url: string
  readonly product: Product
  /** Data folder of the identity service, with its emails. */
  readonly identityFolder: string
  /** Users can sign in to the identity service with it. */
  readonly provider: TestOidcProvider
  close(): Promise<void>
}

/** The paths of the identity service, as `docs/kratos.md` lists them. */
const identityPaths = /^\/(self-service|sessions|schemas|\.well-known\/ory)(\/|\?|$)/

/**
 * Starts the product with `GLACIS_IDENTITY_URL`. The identity service is Ory Kratos if the program is available. Otherwise, it is a
 * second installation, which implements the same API and shares nothing with the first.
 */
export async function startExternalIdentity(
  name: string,
  settings: Readonly<Record<string, string>>,
): Promise<ExternalIdentity> {
  const [port, productPort, identityPort] = [await freePort(), await freePort(), await freePort()]
  const url = `http://localhost:${port}`
  const folder = await databaseFolder(`glacis-${name}-`)
  const identityFolder = join(folder, 'identity')
  const common = { GLACIS_LOG_LEVEL: 'warn', GLACIS_URL: url }
  const proxy = await startProxy(port, (path) => (identityPaths.test(path) ? identityPort : productPort))
  const provider = await startTestOidcProvider(['acme'], url)
  const providerOptions = provider.optionsFor('acme', 'Acme')
  const kratos = kratosProgram()
  const identity = kratos
    ? await startKratos(kratos, { url, port: identityPort, folder: identityFolder, provider: providerOptions })
    : await startProduct({
        port: identityPort,
        dataFolder: identityFolder,
        settings: { ...common, GLACIS_OIDC: JSON.stringify([providerOptions]) },
      })
  const product = await startProduct({
    port: productPort,
    dataFolder: join(folder, 'product'),
    settings: { ...common, ...settings, GLACIS_IDENTITY_URL: url },
  })
  return {
    url,
    product,
    identityFolder,
    provider,
    async close() {
      await Promise.all([product.stop(), identity.stop()])
      await provider.close()
      proxy.close()
      proxy.closeAllConnections()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function startProxy(port: number, portOf: (path: string) => number): Promise<Server> {
  const server = createServer((request, response) => {
    const { method, headers, url: path = '/' } = request
    const upstream = send({ host: '127.0.0.1', port: portOf(path), method, path, headers }, (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers)
      reply.pipe(response)
    })
    upstream.on('error', () => response.destroy())
    response.on('close', () => upstream.destroy())
    request.pipe(upstream)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return server
}
