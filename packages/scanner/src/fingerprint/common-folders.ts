/** Finds web applications below the root that no page links to. */
import { randomBytes } from 'node:crypto'
import { pathOnOrigin } from '#fingerprint/origin.ts'
import type { HttpClient } from '#net/http.ts'
import type { HttpResponse, Origin } from '#net/http-message.ts'
import { forEachOf } from '#pool.ts'

/** Folders in which packages and guides install an application below the root of a web server. */
const commonFolders = (
  'actuator admin adminer airflow alertmanager app backup blog cacti cgi-bin cgit console dashboard db docs ' +
  'examples files flower git gitea gitweb grafana h2-console hawtio icingaweb2 jenkins jupyter kibana mail ' +
  'manager mlflow monitoring munin nagios nagios4 netdata nexus pgadmin4 phpldapadmin phpliteadmin phpmyadmin ' +
  'prometheus roundcube solr sonarqube svn trac webdav webmail wiki wordpress zabbix'
).split(' ')
/** Further folders where the root doesn't exist, so that the server's application must be below it. */
const foldersWithoutRoot = (
  'akhq argocd artifactory auth backuppc confluence consul drupal flink gerrit glpi graylog guacamole jaeger jira joomla ' +
  'kafka-ui keycloak kiali mailman3 mantis minio moodle nextcloud nomad opensearch-dashboards otrs owncloud rabbitmq redmine ' +
  'rundeck spark streamlit superset supervisor system/console tensorboard thanos ui vault zipkin'
).split(' ')
/** Folders that guides for a framework mount dashboards in, by products of its servers. */
const frameworkFolders: readonly (readonly [RegExp, string])[] = [
  [
    /:(?:cherrypy|django|flask|gunicorn|hypercorn|python|starlette|tornado|uvicorn|waitress|werkzeug)$/,
    'django-rq explorer flask-profiler profiler rq scheduler silk tb tensorboard',
  ],
  [
    /:(?:jboss\w*|jetty|payara\w*|spring_\w+|tomcat|undertow|wildfly)$/,
    'druid ff4j-console javamelody probe togglz-console',
  ],
  // Named after their archives, such as openam.war.
  [
    /:(?:jboss\w*|jetty|payara\w*|tomcat|undertow|wildfly)$/,
    'activiti-rest archiva cas fcrepo geoserver geowebcache hudson jackrabbit kie-server openam pulse xwiki',
  ],
  [/:(?:express|fastify|koa|node\.js)$/, 'admin/queues agendash arena bull explorer queues status'],
  [/:(?:spring_\w+|tomcat)$/, 'api manage management'],
  [/:php$/, 'phppgadmin pma postfixadmin'],
  // Where Debian's packages install them in Apache.
  [/:http_server$/, 'backuppc mailman3'],
]
const foldersMax = 4
const atOnce = 4

/** @returns none where the server responds to every path the same way, except PHP's development server */
export async function findCommonFolders(
  origin: Origin,
  { shared, signal }: { readonly shared: Pick<HttpClient, 'request'>; readonly signal: AbortSignal },
  /** Identified, as `vendor:product`. */
  products: ReadonlySet<string> = new Set(),
): Promise<readonly string[]> {
  const read = async (path: string) => {
    const response = await shared.request(origin, { method: 'GET', path }, { signal })
    return response.kind === 'response' ? response : undefined
  }
  const unknown = await read(`/${randomBytes(8).toString('hex')}/`)
  if (!unknown || unknown.status === 401 || (unknown.status < 400 && !isFrontPage(unknown))) return []
  const found: string[] = []
  const ofFrameworks = frameworkFolders.flatMap(([framework, names]) =>
    [...products].some((product) => framework.test(product)) ? names.split(' ') : [],
  )
  const front = await read('/')
  const ofNoRoot = front?.status === 404 ? foldersWithoutRoot : []
  await forEachOf([...new Set([...ofFrameworks, ...commonFolders, ...ofNoRoot])], atOnce, async (name) => {
    const folder = `/${name}/`
    const response = await read(folder)
    const isOther = response?.status !== unknown.status || (isFrontPage(unknown) && !response.body.equals(unknown.body))
    if (response && isOther && isApplication(response, folder, origin)) found.push(folder)
    // An API without a start page.
    else if (response?.status === 404 && isJson(response) && unknown.status === 404 && !isJson(unknown))
      found.push(folder)
  })
  return found.toSorted().slice(0, foldersMax)
}

function isJson({ headers }: HttpResponse): boolean {
  return headers.some(([name, value]) => name.toLowerCase() === 'content-type' && /\bjson\b/i.test(value))
}

/** PHP's development server, which also returns a Host header, serves the front page for unknown paths. */
function isFrontPage({ status, headers }: HttpResponse): boolean {
  return status === 200 && headers.some(([name]) => name.toLowerCase() === 'host')
}

/** A page of its own, a login, or a redirect within the folder. */
function isApplication({ status, headers }: HttpResponse, folder: string, origin: Origin): boolean {
  if (status === 200 || status === 401) return true
  const location = headers.find(([name]) => name.toLowerCase() === 'location')?.[1] ?? ''
  return status >= 301 && status <= 308 && pathOnOrigin(location, origin, folder)?.startsWith(folder) === true
}
