/** Web servers. The leaked data is made up, and no file of the machine is read. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listenTcp, type HostDefinition, type Service, type HasWeakness } from '../service.ts'

/** Responds to a request, or returns false if the page doesn't exist. */
type Site = (request: IncomingMessage, respond: Respond, hasWeakness: HasWeakness) => boolean
type Respond = (status: number, body: string, headers?: Readonly<Record<string, string>>) => true

const html = { 'Content-Type': 'text/html; charset=utf-8' }
const text = { 'Content-Type': 'text/plain' }
const json = { 'Content-Type': 'application/json; charset=utf-8' }
/** The format of the file, with made-up users. */
const passwd =
  'root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\nlab:x:1000:1000::/home/lab:/bin/sh\n'

/** An HTTP server on the first free port. `headers` are part of every response. */
function web(
  ports: readonly number[],
  site: Site,
  headers: (hasWeakness: HasWeakness) => Readonly<Record<string, string>>,
): Service {
  return (address, hasWeakness) => {
    const server = createServer((request, response) => {
      const respond = responder(request, response, headers(hasWeakness))
      if (!site(request, respond, hasWeakness)) respond(404, notFound, html)
    })
    server.keepAliveTimeout = 2000
    return listenTcp(server, address, ports)
  }
}

const notFound =
  '<!DOCTYPE html>\n<html><head><title>404 Not Found</title></head><body><h1>Not Found</h1></body></html>\n'

function responder(
  request: IncomingMessage,
  response: ServerResponse,
  common: Readonly<Record<string, string>>,
): Respond {
  return (status, body, headers = html) => {
    request.resume()
    response.writeHead(status, { ...common, ...headers, 'Content-Length': Buffer.byteLength(body) })
    response.end(request.method === 'HEAD' ? undefined : body)
    return true
  }
}

/** The path as received, including `..` and `%2e`. */
function rawPath({ url = '/' }: IncomingMessage): string {
  return url.split(/[?#]/)[0] ?? '/'
}

function page(title: string, body: string): string {
  return `<!DOCTYPE html>\n<html lang="en"><head><title>${title}</title></head><body><h1>${title}</h1>${body}</body></html>\n`
}

function listing(path: string, names: readonly string[]): string {
  const rows = ['../', ...names].map((name) => `<a href="${name}">${name}</a>`).join('\n')
  return `<!DOCTYPE HTML>\n<html><head><title>Index of ${path}</title></head><body><h1>Index of ${path}</h1><pre>${rows}</pre></body></html>\n`
}

const gitConfig = `[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = false
[remote "origin"]
\turl = https://git.example.test/shop/storefront.git
\tfetch = +refs/heads/*:refs/remotes/origin/*
[branch "main"]
\tremote = origin
\tmerge = refs/heads/main
`
const environment = `APP_NAME=Storefront
APP_ENV=production
APP_KEY=base64:bGFib3JhdG9yeSBrZXksIG5vdCBhIHNlY3JldA==
DB_HOST=127.0.0.1
DB_DATABASE=storefront
DB_USERNAME=storefront
DB_PASSWORD=laboratory-only
`
const dump = `-- MySQL dump 10.13  Distrib 8.0.36, for Linux (x86_64)
DROP TABLE IF EXISTS \`customers\`;
CREATE TABLE \`customers\` (\`id\` int NOT NULL, \`email\` varchar(200) DEFAULT NULL);
INSERT INTO \`customers\` VALUES (1,'nobody@example.test');
`

/** A shop on Apache 2.4.49 with its repository, settings, and a database dump in the web root. */
export const apache: HostDefinition = {
  name: 'storefront',
  description: 'Apache 2.4.49 with a repository, settings, and a database dump in the web root',
  weaknesses: [
    { name: 'git-config', expected: ['git-config-exposed'] },
    { name: 'env-file', expected: ['env-file-exposed'] },
    { name: 'directory-listing', expected: ['directory-listing'] },
    { name: 'sql-dump', expected: ['sql-dump-exposed'] },
    { name: 'apache-traversal', expected: ['CVE-2021-41773'] },
    { name: 'apache-version', expected: ['CVE-2021-41773', 'CVE-2021-42013'] },
  ],
  services: [
    web([80, 8080, 0], apacheSite, (hasWeakness) => ({
      server: hasWeakness('apache-version') ? 'Apache/2.4.49 (Unix)' : 'Apache',
    })),
  ],
}

function apacheSite(request: IncomingMessage, respond: Respond, hasWeakness: HasWeakness): boolean {
  const path = rawPath(request)
  if (path === '/') return respond(200, page('Storefront', '<p><a href="/backup/">Backup</a></p>'))
  if (path === '/.git/config' && hasWeakness('git-config')) return respond(200, gitConfig, text)
  if (path === '/.git/HEAD' && hasWeakness('git-config')) return respond(200, 'ref: refs/heads/main\n', text)
  if (path === '/.env' && hasWeakness('env-file')) return respond(200, environment, text)
  if (path === '/backup/' && hasWeakness('directory-listing')) return respond(200, listing('/backup', ['dump.sql']))
  if (path === '/backup/' || path === '/cgi-bin/' || path === '/icons/') return respond(403, page('403 Forbidden', ''))
  if (/^\/(?:backup\/)?dump\.sql$/.test(path) && hasWeakness('sql-dump'))
    return respond(200, dump, { 'Content-Type': 'application/sql' })
  const isTraversal = /^\/(?:icons|cgi-bin)\/(?:(?:\.%2e|%2e\.|%2e%2e)\/){3,}etc\/passwd$/i.test(path)
  return isTraversal && hasWeakness('apache-traversal') && respond(200, passwd, text)
}

/** An old nginx with public statistics. */
export const nginx: HostDefinition = {
  name: 'edge',
  description: 'nginx 1.18.0 with public stub_status',
  weaknesses: [
    { name: 'nginx-status', expected: ['nginx-stub-status'] },
    { name: 'nginx-version', expected: ['CVE-2021-23017', 'CVE-2023-44487'] },
  ],
  services: [
    web([80, 8080, 0], nginxSite, (hasWeakness) => ({
      Server: hasWeakness('nginx-version') ? 'nginx/1.18.0' : 'nginx',
    })),
  ],
}

const nginxStatus =
  'Active connections: 3 \nserver accepts handled requests\n 1042 1042 3127 \nReading: 0 Writing: 1 Waiting: 2 \n'

function nginxSite(request: IncomingMessage, respond: Respond, hasWeakness: HasWeakness): boolean {
  const path = rawPath(request)
  if (path === '/') return respond(200, page('Welcome to nginx!', '<p>Laboratory edge.</p>'))
  return (
    /^\/(?:nginx_status|nginx-status|basic_status|stub_status)$/.test(path) &&
    hasWeakness('nginx-status') &&
    respond(200, nginxStatus, text)
  )
}

/** A Grafana with the path traversal in plugin assets. */
export const grafana: HostDefinition = {
  name: 'dashboards',
  description: 'Grafana 8.2.0 with path traversal in plugin assets',
  weaknesses: [
    { name: 'grafana-traversal', expected: ['CVE-2021-43798'] },
    { name: 'grafana-version', expected: ['CVE-2021-43798'] },
  ],
  services: [web([3000, 3001, 0], grafanaSite, () => ({ 'Cache-Control': 'no-cache', 'X-Frame-Options': 'deny' }))],
}

function grafanaSite(request: IncomingMessage, respond: Respond, hasWeakness: HasWeakness): boolean {
  const path = rawPath(request)
  const version = hasWeakness('grafana-version') ? '8.2.0' : '12.4.1'
  if (path === '/') return respond(302, '<a href="/login">Found</a>.\n', { ...html, Location: '/login' })
  if (path === '/login') return respond(200, grafanaLogin(version))
  if (path === '/api/health')
    return respond(200, JSON.stringify({ commit: 'd7f71e9eae', database: 'ok', version }, null, 2), json)
  if (path.startsWith('/api/')) return respond(401, '{"message":"Unauthorized"}', json)
  const isTraversal = /^\/public\/plugins\/[a-z]+\/(?:\.\.\/|\.\.%2f|%2e%2e\/){4,}etc\/passwd$/i.test(path)
  return isTraversal && hasWeakness('grafana-traversal') && respond(200, passwd, text)
}

function grafanaLogin(version: string): string {
  const boot = JSON.stringify({ settings: { buildInfo: { version, commit: 'd7f71e9eae', env: 'production' } } })
  return `<!DOCTYPE html>\n<html lang="en"><head><title>Grafana</title><base href="/" /></head><body class="theme-dark app-grafana"><div id="reactRoot"></div><script>window.grafanaBootData = ${boot};</script></body></html>\n`
}

/** PHP of the two days in 2021 when its repository contained a backdoor, limited to a multiplication. */
export const php: HostDefinition = {
  name: 'staging',
  description: 'PHP 8.1.0-dev with the User-Agentt backdoor, limited to a multiplication',
  weaknesses: [{ name: 'php-backdoor', expected: [] }],
  services: [
    web([80, 8080, 0], phpSite, (hasWeakness) => ({
      'X-Powered-By': hasWeakness('php-backdoor') ? 'PHP/8.1.0-dev' : 'PHP/8.4.15',
    })),
  ],
}

function phpSite(request: IncomingMessage, respond: Respond, hasWeakness: HasWeakness): boolean {
  if (rawPath(request) !== '/') return false
  const { 'user-agentt': code = '' } = request.headers
  const [, left, right] = /^zerodiumvar_dump\((\d{1,7})\*(\d{1,7})\);?$/.exec(String(code)) ?? []
  const output = left && right && hasWeakness('php-backdoor') ? `int(${Number(left) * Number(right)})\n` : ''
  return respond(200, output + page('Staging', '<p>Nothing to see yet.</p>'))
}

/** A search server without authentication. */
export const elasticsearch: HostDefinition = {
  name: 'search',
  description: 'Elasticsearch 1.4.2 without authentication',
  weaknesses: [
    { name: 'elasticsearch-open', expected: ['elasticsearch-open'] },
    { name: 'elasticsearch-version', expected: ['CVE-2015-1427', 'CVE-2015-5531'] },
  ],
  services: [web([9200, 9201, 0], elasticSite, () => ({}))],
}

function elasticSite(request: IncomingMessage, respond: Respond, hasWeakness: HasWeakness): boolean {
  const path = rawPath(request)
  const number = hasWeakness('elasticsearch-version') ? '1.4.2' : '9.3.1'
  const root = {
    status: 200,
    name: 'lab-1',
    cluster_name: 'laboratory',
    version: { number, lucene_version: '4.10.2' },
    tagline: 'You Know, for Search',
  }
  if (!hasWeakness('elasticsearch-open'))
    return respond(401, '{"error":{"type":"security_exception"},"status":401}', json)
  if (path === '/') return respond(200, JSON.stringify(root), json)
  if (path === '/_cat/indices') return respond(200, 'yellow open customers 5 1 42 0 91.3kb 91.3kb\n', text)
  if (path === '/_cluster/health') return respond(200, '{"cluster_name":"laboratory","status":"yellow"}', json)
  return path.endsWith('/_search') && respond(200, '{"took":1,"timed_out":false,"hits":{"total":42,"hits":[]}}', json)
}

/** A correctly configured host. Any finding above informational is a false positive. */
export const hardened: HostDefinition = {
  name: 'hardened',
  description: 'A small page with all security headers',
  weaknesses: [],
  services: [
    web(
      [80, 8080, 0],
      (request, respond) => rawPath(request) === '/' && respond(200, page('Status', '<p>All systems work.</p>')),
      () => securityHeaders,
    ),
  ],
}

const securityHeaders = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'Strict-Transport-Security': 'max-age=63072000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Permitted-Cross-Domain-Policies': 'none',
  'Cache-Control': 'no-store',
}
