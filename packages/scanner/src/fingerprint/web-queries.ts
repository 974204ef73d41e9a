import type { FingerprintText } from '#fingerprint/fingerprint-text.ts'
import { repositoriesIn } from '#native/web/repositories.ts'
import type { HttpRequest, HttpResponse } from '#net/http-message.ts'

/** Product-specific queries to identified web servers. They are read-only. */
interface WebQuery {
  appliesTo(traces: readonly FingerprintText[]): boolean
  run(send: Send, traces: readonly FingerprintText[]): Promise<FingerprintText[]>
}

/** @returns undefined when there was no response */
type Send = (request: HttpRequest) => Promise<HttpResponse | undefined>

const sessionHeader = 'x-transmission-session-id'

/**
 * `session-get` of Transmission. The first response is a 409 with the session ID that the second
 * request must send, as CSRF protection (rpc-spec.md, section 2.3.1). With a password set, both
 * fail.
 */
const transmission: WebQuery = {
  appliesTo: (traces) =>
    traces.some(({ field, text }) => field === `http_header.${sessionHeader}` || isServer(field, text, 'Transmission')),
  async run(send) {
    const question = {
      method: 'POST',
      path: '/transmission/rpc',
      body: '{"method":"session-get","arguments":{"fields":["version"]}}',
    }
    const conflict = await send(question)
    const [, word] = conflict?.headers.find(([name]) => name.toLowerCase() === sessionHeader) ?? []
    if (conflict?.status !== 409 || word === undefined || !/^[\w-]{1,128}$/.test(word)) return []
    const response = await send({ ...question, headers: { [sessionHeader]: word } })
    const [, version] = /"version":\s{0,100}"([^"]{1,64})"/.exec(response?.body.toString('utf8', 0, 65_536) ?? '') ?? []
    return response?.status === 200 && version !== undefined ? [{ field: 'transmission.version', text: version }] : []
  },
}

const modulesMax = 100

/**
 * Modules of a Node-RED with an exposed admin API (GET /nodes); its page doesn't reveal versions.
 */
const nodeRed: WebQuery = {
  appliesTo: (traces) =>
    traces.some(({ field, text }) => field === 'http.path:/settings' && /"httpNodeRoot":/.test(text)),
  async run(send) {
    const response = await send({ method: 'GET', path: '/nodes', headers: { Accept: 'application/json' } })
    if (response?.status !== 200) return []
    const pairs = response.body.toString('utf8').matchAll(/"module":"([^"]{1,100})","version":"([^"]{1,40})"/g)
    const modules = new Set([...pairs].map(([, name = '', version = '']) => `${name} ${version}`))
    return [...modules].slice(0, modulesMax).map((text) => ({ field: 'node-red.module', text }))
  },
}

/** The client of a Vite development server names the folder of its package, which is served too. */
const vite: WebQuery = {
  appliesTo: (traces) => traces.some(({ field, text }) => field === 'http.body' && text.includes('/@vite/client')),
  async run(send) {
    const textAt = async (path: string) => {
      const response = await send({ method: 'GET', path, headers: { Accept: '*/*' } })
      return response?.status === 200 ? response.body.toString('utf8', 0, 262_144) : ''
    }
    const [, folder] = /["'](\/[\w@./-]{0,200}\bnode_modules\/vite\/)dist\//.exec(await textAt('/@vite/client')) ?? []
    const description = folder === undefined ? '' : await textAt(`${folder}package.json`)
    const [, version] = /"name":\s{0,9}"vite",\s{0,9}"version":\s{0,9}"([^"]{1,40})"/.exec(description) ?? []
    return version === undefined ? [] : [{ field: 'vite.version', text: version }]
  },
}

/** Git names itself to clients of a repository, whose clone URL is shown on a page. */
const git: WebQuery = {
  appliesTo: (traces) => clonePath(traces) !== undefined,
  async run(send, traces) {
    const response = await send({ method: 'GET', path: `${clonePath(traces)}/info/refs?service=git-upload-pack` })
    const text = response?.status === 200 ? response.body.toString('utf8', 0, 65_536) : ''
    const [, agent] = /^[0-9a-f]{4}# service=git-upload-pack\n[^\n]{0,2000}\sagent=(\S{1,100})/.exec(text) ?? []
    return agent === undefined ? [] : [{ field: 'git.agent', text: agent }]
  },
}

function clonePath(traces: readonly FingerprintText[]): string | undefined {
  return traces.flatMap(({ field, text }) => (field === 'http.body' ? repositoriesIn(text, '/') : []))[0]
}

/** A single request to a product whose page doesn't reveal the version. */
function oneRequest(applies: (trace: FingerprintText) => boolean, request: HttpRequest, field: string): WebQuery {
  return {
    appliesTo: (traces) => traces.some(applies),
    async run(send) {
      const response = await send(request)
      return response?.status === 200 ? [{ field, text: response.body.toString('utf8', 0, 16_384) }] : []
    },
  }
}

const orthanc = oneRequest(
  ({ field, text }) => field === 'html_title' && text === 'Orthanc Explorer',
  { method: 'GET', path: '/system' },
  'orthanc.system',
)

/** Its pages are served from the project's own site, so browsers require this header. */
const drizzleStudio = oneRequest(
  ({ field }) => field === 'http_header.access-control-allow-private-network',
  { method: 'POST', path: '/', headers: { 'Content-Type': 'application/json' }, body: '{"type":"init"}' },
  'drizzle.init',
)

const snapserver = oneRequest(
  ({ field, text }) => isServer(field, text, 'Snapcast'),
  { method: 'POST', path: '/jsonrpc', body: '{"id":1,"jsonrpc":"2.0","method":"Server.GetStatus"}' },
  'snapserver.status',
)

/** The management interface of WildFly, on a port of its own. */
const wildfly = oneRequest(
  ({ field, text }) => field === 'html_title' && text === 'HAL Management Console',
  { method: 'GET', path: '/management' },
  'wildfly.management',
)

/** The remote control of rclone only accepts POST; its list of remotes is a page. */
const rclone = oneRequest(
  ({ field, text }) => field === 'html_title' && text.includes('rclone remotes'),
  { method: 'POST', path: '/core/version', headers: { 'Content-Type': 'application/json' }, body: '{}' },
  'rclone.version',
)

/** Privoxy answers requests for this URL itself. */
const privoxy = oneRequest(
  ({ field, text }) => field === 'http.body' && text.startsWith('Invalid header received from client.'),
  { method: 'GET', path: 'http://config.privoxy.org/' },
  'privoxy.menu',
)

/** Ethereum nodes answer a GET request with an error of the protocol, or with an empty page as Geth does. */
const ethereum = oneRequest(
  ({ field, text }) =>
    (field === 'web.json' && /"jsonrpc"\s{0,3}:\s{0,3}"2\.0"/.test(text)) ||
    (field === 'http_header.content-length' && text === '0'),
  {
    method: 'POST',
    path: '/',
    headers: { 'Content-Type': 'application/json' },
    body: '{"jsonrpc":"2.0","id":1,"method":"web3_clientVersion","params":[]}',
  },
  'ethereum.client',
)

/** Spring Boot 1; its version is in the class path, unless the application is a single archive. */
const springEnvironment = oneRequest(
  ({ field }) => field === 'http_header.x-application-context',
  { method: 'GET', path: '/env' },
  'spring.environment',
)

/** The master of ROS only accepts XML-RPC, through the server of Python's library. */
const rosMaster = oneRequest(
  ({ field, text }) => isServer(field, text, 'BaseHTTP/'),
  {
    method: 'POST',
    path: '/RPC2',
    headers: { 'Content-Type': 'text/xml' },
    body: '<?xml version="1.0"?><methodCall><methodName>getUri</methodName><params><param><value><string>/glacis</string></value></param></params></methodCall>',
  },
  'ros.master',
)

/** Kea's control agent only accepts commands. */
const kea = oneRequest(
  ({ field, text }) => field === 'http.body' && text === '{ "result": 400, "text": "Bad Request" }',
  {
    method: 'POST',
    path: '/',
    headers: { 'Content-Type': 'application/json' },
    body: '{"command":"version-get"}',
  },
  'kea.version',
)

/** The vSphere API describes its server to clients that haven't logged in. */
const vSphere = oneRequest(
  ({ field, text }) => field === 'http.body' && /\bID_(?:VC|EESX)_Welcome\b|ng-app="esxUiApp"/.test(text),
  {
    method: 'POST',
    path: '/sdk',
    headers: { 'Content-Type': 'text/xml', SOAPAction: 'urn:vim25' },
    body: '<Envelope xmlns="http://schemas.xmlsoap.org/soap/envelope/"><Body><RetrieveServiceContent xmlns="urn:vim25"><_this type="ServiceInstance">ServiceInstance</_this></RetrieveServiceContent></Body></Envelope>',
  },
  'vmware.about',
)

/** SoftEther VPN answers its clients' first message with its version and build; its error pages have no name. */
const softEther: WebQuery = {
  appliesTo: (traces) =>
    traces.some(({ field, text }) => field === 'http.body' && text.includes('<ADDRESS>HTTP Server at ')),
  async run(send) {
    const headers = { 'Content-Type': 'image/jpeg' }
    const response = await send({ method: 'POST', path: '/vpnsvc/connect.cgi', headers, body: 'VPNCONNECT' })
    const { body } = response ?? {}
    if (response?.status !== 200 || !body?.includes('SoftEther VPN Server')) return []
    // The type of an integer and the number of its values follow the name.
    const valueOf = (name: string) => {
      const head = Buffer.concat([Buffer.from(name), Buffer.from([0, 0, 0, 0, 0, 0, 0, 1])])
      const start = body.indexOf(head) + head.length
      return start >= head.length && body.length >= start + 4 ? body.readUInt32BE(start) : undefined
    }
    const [version, build] = [valueOf('version'), valueOf('build')]
    if (version === undefined || build === undefined) return []
    const text = `${Math.floor(version / 100)}.${String(version % 100).padStart(2, '0')}.${build}`
    return [{ field: 'softether.version', text }]
  },
}

/** The root of a Docker registry is an empty page; its API names itself, even if it requires authentication. */
const dockerRegistry: WebQuery = {
  appliesTo: (traces) => traces.some(({ field, text }) => field === 'http_header.content-length' && text === '0'),
  async run(send) {
    const response = await send({ method: 'GET', path: '/v2/_catalog' })
    const [, version] =
      response?.headers.find(([name]) => name.toLowerCase() === 'docker-distribution-api-version') ?? []
    return version === undefined ? [] : [{ field: 'docker.registry', text: version }]
  },
}

const queries: readonly WebQuery[] = [
  dockerRegistry,
  softEther,
  rosMaster,
  transmission,
  nodeRed,
  vite,
  git,
  orthanc,
  drizzleStudio,
  snapserver,
  wildfly,
  ethereum,
  rclone,
  privoxy,
  springEnvironment,
  kea,
  vSphere,
]

/** Sends the queries for the identified products, if any. */
export async function queryWebProducts(traces: readonly FingerprintText[], send: Send): Promise<FingerprintText[]> {
  const answers: FingerprintText[] = []
  for (const question of queries) if (question.appliesTo(traces)) answers.push(...(await question.run(send, traces)))
  return answers
}

function isServer(field: string, text: string, name: string): boolean {
  return field === 'http_header.server' && text.startsWith(name)
}
