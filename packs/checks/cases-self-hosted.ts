/** Cases: self-hosted applications and their APIs. */
import { crlf, exposure, html, json, pages, plain } from './replies.ts'
import { type Case, type Reply, script, type Site } from './servers.ts'

/** Joins the texts that the check sends in a program, and returns them in a page. */
function joining(target: string, program: RegExp, page: (joined: string) => Reply): Site {
  return ({ path, body }) => {
    const [, first = '', second = ''] = program.exec(decodeURIComponent(`${path} ${body}`)) ?? []
    return path.startsWith(target) ? page(`${first}${second}`) : null
  }
}
/** Returns the product of two numbers that the check sends in an expression. */
function multiplying(target: string): Site {
  return ({ path, body }) => {
    const [, first = '', second = ''] = /\((\d+)\*(\d+)\)/.exec(decodeURIComponent(`${path} ${body}`)) ?? []
    const isSent = path.startsWith(target) && first !== ''
    return isSent ? { status: 302, headers: { 'x-glacis': String(Number(first) * Number(second)) } } : null
  }
}
const denied = (target: string): Site => ({ path }) => (path.startsWith(target) ? { status: 403, body: 'Not authenticated' } : null)
/** The Content API of Ghost. A quote in a slug ends the SQL string of a vulnerable release. */
const ghost =
  (isVulnerable: boolean): Site =>
  ({ path }) => {
    if (path === '/') return html(`<script data-key="${'4a'.repeat(13)}"></script>`)
    const [, filter] = /^\/ghost\/api\/content\/posts\/\?limit=1&key=(?:4a){13}&filter=(.+)/.exec(decodeURIComponent(path)) ?? []
    if (filter === undefined) return null
    const isInvalid = isVulnerable && filter.includes("'")
    return isInvalid ? { ...json({ errors: [{ type: "BadRequestError", code: "SQLITE_ERROR" }] }), status: 400 } : json({ posts: [] })
  }
/** Rejects browsers that send no origin, as Kubo does. */
const kubo =
  (reply: Reply, allowed = ''): Site =>
  ({ path, headers }) => {
    if (path !== '/api/v0/version') return null
    if (!headers['origin']) return String(headers['user-agent']).startsWith('Mozilla') ? { status: 403 } : reply
    return allowed === '' ? { status: 403 } : { ...reply, headers: { ...reply.headers, 'access-control-allow-origin': allowed } }
  }
const crossbar = html('<p>Plant', { server: 'Crossbar/26.10.1' })

export const selfHosted: readonly Case[] = [
  exposure('vector-database-open', '/collections', json({ result: { collections: [{ name: "docs" }] }, status: "ok", time: 0.00001 }), json({ status: { error: "Unauthorized" }, time: 0 })),
  exposure('trace-store-open', '/api/services', json({ data: ["shop"], total: 1, limit: 0, offset: 0, errors: null }), json({ data: ["shop"] })),
  exposure('log-store-open', '/loki/api/v1/labels', json({ status: "success", data: ["app", "host"] }), json({ status: "error", error: "no org id" })),
  exposure('time-series-database-open', '/kapacitor/v1/tasks', json({ tasks: [] }), json({ error: "Unauthorized" })),
  exposure('kafka-console-open', '/api/clusters', json([{ name: "local", defaultCluster: true, status: "online", bootstrapServers: "kafka:9092", brokerCount: 1 }]), json([{ name: "local" }])),
  exposure('schema-registry-open', '/subjects', { headers: { "content-type": "application/vnd.schemaregistry.v1+json" }, body: "[]" }, json([])),
  exposure('data-platform-status-exposed', '/api/v1/applications', json([{ id: "app-20261101-0001", name: "a", attempts: [{}] }]), json([])),
  exposure('data-platform-status-exposed', '/tables', html('<title>Kudu</title><h1>Tables</h1><p>There are 1 tables.</p><pre>kudu 1.15.0 (rev 6461914)'), html('<title>Kudu</title><h1>Sign in</h1><pre>kudu 1.15.0')),
  exposure('server-flags-exposed', '/varz', html('<h2>Command-line Flags</h2><pre>--block_cache_capacity_mb=512\n--webserver_port=8051\n</pre>'), html('<h2>Command-line Flags</h2><pre>shop --help')),
  exposure('zap-api-open', '/JSON/core/view/version/', json({ version: "2.10.0" }), { status: 400, body: '{"code":"bad_api_key","message":"Provided API key is invalid"}' }),
  exposure('basex-open', '/rest', { headers: { 'content-type': 'application/xml' }, body: '<rest:databases xmlns:rest="http://basex.org/rest" resources="0"/>' }, { status: 401, body: 'Basic authentication expected.' }),
  exposure('conductor-config-exposed', '/api/admin/config', json({ "java.class.path": "conductor-server.jar", "java.vm.version": "17.0.15", version: "3.13.8", buildDate: "2023-07-24" }), json({ version: "1.2.0", buildDate: "2023-07-24" })),
  exposure('ghost-setup-open', '/ghost/api/admin/authentication/setup/', json({ setup: [{ status: false }] }), json({ setup: [{ status: true, title: "Shop" }] })),
  { id: 'CVE-2026-26980', has: ghost(true), hasNot: ghost(false), at: ['/ghost/api/content/posts/'] },
  exposure('data-platform-open', '/sessions?size=1', json({ from: 0, total: 0, sessions: [] }), json({ sessions: [] })),
  exposure('nsq-open', '/stats?format=json', json({ version: "1.2.1", health: "OK", start_time: 1, topics: [], memory: {} }), json({ topics: [] })),
  exposure('rqlite-open', '/db/query?q=SELECT%20sqlite_version()', json({ results: [{ columns: ["sqlite_version()"], types: ["text"], values: [["3.44.0"]] }] }), json({ error: "Unauthorized" })),
  exposure('pulsar-admin-open', '/admin/v2/tenants', json(["public", "pulsar"]), json({ reason: "Authentication required" })),
  exposure('nacos-open', '/nacos/v1/cs/configs?dataId=&group=&pageNo=1&pageSize=1&search=accurate', json({ totalCount: 0, pageNumber: 1, pagesAvailable: 0, pageItems: [] }), json({ status: 403, error: "Forbidden" })),
  exposure('api-gateway-admin-open', '/', json({ tagline: "Welcome to kong", version: "3.4.2", plugins: {} }), json({ tagline: "Welcome" })),
  exposure('arangodb-open', '/_api/database', json({ error: false, code: 200, result: ["_system"] }), json({ error: true, code: 401, errorNum: 11 })),
  exposure('kibana-open', '/api/status', json({ name: "kibana", uuid: "a", version: { number: "8.5.0", build_hash: "a", build_number: 1 }, status: { overall: { level: "available" } } }), json({ status: { overall: { level: "available" } } })),
  exposure('grafana-anonymous', '/api/org', json({ id: 1, name: "Main Org.", address: {} }), json({ message: "Unauthorized" })),
  exposure('ai-application-open', '/system_stats', json({ system: { os: "posix", python_version: "3.11", comfyui_version: "0.3.1" }, devices: [] }), json({ system: {}, devices: [] })),
  exposure('media-manager-api-key-exposed', '/initialize.json', json({ apiRoot: "/api/v3", apiKey: "0123456789abcdef0123456789abcdef" }), json({ apiRoot: "/api/v3", apiKey: "" })),
  exposure('systemd-journal-open', '/machine', json({ machine_id: "0123456789abcdef0123456789abcdef", boot_id: "fedcba9876543210fedcba9876543210", hostname: "billing-3", cutoff_from_realtime: "1764000000000000" }), json({ machine_id: "0123456789abcdef0123456789abcdef" })),
  exposure('moonraker-open', '/server/info', json({ result: { klippy_connected: false, klippy_state: "disconnected", moonraker_version: "0.11.0" } }), json({ error: { code: 401, message: "Unauthorized" } })),
  { id: 'web-dev-server-file-read', has: pages({ '/': html('<!-- injected by web-dev-server -->'), '/__wds-outside-root__/20/etc/passwd': plain("root:x:0:0:root:/root:/bin/bash\n") }), hasNot: pages({ '/': html('<!-- injected by web-dev-server -->') }), at: ['/__wds-outside-root__/20/etc/passwd'] },
  exposure('smart-home-open', '/api/auth-enabled', json({ success: true, data: false }), json({ success: true, data: true })),
  exposure('smart-home-open', '/json.htm?type=command&param=getauth', json({ status: "OK", title: "GetAuth", rights: 2, user: "", version: "2024.7" }), json({ status: "OK", title: "GetAuth" })),
  exposure('smart-home-devices-open', '/rest/items?recursive=false', json([{ link: "http://lab.test/rest/items/Door", state: "OFF", type: "Switch", name: "Door" }]), json([])),
  exposure('smart-home-devices-open', '/json/info', json({ ver: "0.14.0", brand: "WLED", product: "Light" }), json({ brand: "Other" })),
  exposure('ai-flow-builder-open', '/api/v1/auto_login', json({ access_token: "eyJhbGciOiJIUzI1NiJ9.e30.a", token_type: "bearer" }), json({ detail: "Auto login is disabled." })),
  exposure('imaginary-open', '/', json({ imaginary: "1.2.4", bimg: "1.1.9", libvips: "8.14.1" }), json({ imaginary: "yes" })),
  exposure('web-shell-open', '/', html('<title>ttyd - Terminal</title>'), html('<title>Terminal</title>')),
  exposure('web-terminal-exposed', '/', html('<title>WeTTY - The Web Terminal Emulator</title>'), html('<title>Terminals</title>')),
  exposure('media-gateway-open', '/api/serverinfo', json({ sw_version: "4.2", api_version: 19, name: "Tvheadend", capabilities: [] }), json({ name: "Other" })),
  exposure('airflow-open', '/', html('<title>DAGs - Airflow</title><a href="/variable/list/">Variables</a>'), html('<title>DAGs - Airflow</title><a href="/login/">Log In</a>')),
  exposure('airflow-open', '/', html('<title>Airflow - DAGs</title><a href="/admin/variable/">Variables</a>'), html('<title>Airflow - Login</title>')),
  exposure('zim-open', '/', html("<title>Index of Operations</title><meta name='Generator' content='Zim 0.75.1'>"), { status: 401, body: 'Please authenticate' }),
  exposure('job-scheduler-open', '/v1/jobs', json([{ id: "a", name: "a", displayname: "", timezone: "", schedule: "@every 1h", executor: "shell" }]), json([])),
  exposure('dozzle-open', '/', html('<title>Dozzle</title><script type="application/json" id="config__json">{"authProvider":"none"}</script>'), html('<title>Dozzle</title><script type="application/json" id="config__json">{"authProvider":"simple"}</script>')),
  exposure('identity-administration-open', '/admin/clients', json([{ client_id: "a", client_name: "", grant_types: ["authorization_code"] }]), json({ error: "unauthorized" })),
  exposure('renderer-open', '/health', json({ status: "up", details: { chromium: { status: "up" }, uno: { status: "up" } } }), json({ status: "up" })),
  exposure('webdriver-open', '/status', json({ value: { build: { version: "142.0" }, message: "ChromeDriver ready for new sessions.", ready: true } }), json({ value: { ready: true, message: "fine" } })),
  { id: 'ipfs-api-open', has: kubo(json({ Version: "0.19.0", Commit: "", Repo: "13", System: "amd64/linux", Golang: "go1.19" })), hasNot: kubo(json({ Version: 1 })), at: ['/api/v0/version'] },
  { id: 'ipfs-api-any-origin', has: kubo(json({ Version: "0.19.0", Commit: "", Repo: "13" }), '*'), hasNot: kubo({ status: 403, body: '403 - Forbidden' }), at: ['/api/v0/version'] },
  exposure('backup-server-open', '/api/v1/repo/status', json({ connected: true, configFile: "/root/repository.config", hash: "BLAKE2B" }), json({ error: "Unauthorized" })),
  exposure('container-tool-open', '/v1/volumes', json({ type: "collection", resourceType: "volume", data: [] }), json({ type: "collection" })),
  exposure('filebrowser-open', '/', html('<title>File Browser</title><script>window.FileBrowser = JSON.parse("{}"); ({"Name":"","NoAuth":true})</script>'), html('<title>File Browser</title><script>({"Name":"","NoAuth":false})</script>')),
  exposure('hasura-open', '/v1/metadata', json({ is_consistent: true, inconsistent_objects: [] }), json({ path: "$", error: "x-hasura-admin-secret required", code: "access-denied" })),
  exposure('api-simulator-open', '/api/v2/hoverfly', json({ arguments: {}, destination: ".", mode: "simulate", usage: {}, version: "v1.9.0" }), json({ mode: "none" })),
  exposure('snakeviz-open', '/snakeviz/%2Fetc', html('<a>SnakeViz</a><script>var dir_entries = [[["a", "%2Fetc%2Fa"]]]</script>'), html("SnakeViz")),
  exposure('log-stream-open', '/', html('<title ng-if="!ctrl.loaded">rTail : loading ...</title>'), html("<title>Retail</title>")),
  exposure('testem-open', '/testem.js', { headers: { "content-type": "text/javascript" }, body: "var TestemConfig = {}; Testem.init()" }, { headers: { "content-type": "text/javascript" }, body: "var config = {}" }),
  exposure('ros-master-open', '/RPC2', { headers: { "content-type": "text/xml" }, body: "<?xml version='1.0'?>\n<methodResponse>\n<params>\n<param>\n<value><array><data>\n<value><int>1</int></value>\n<value><string></string></value>\n<value><int>2159</int></value>\n</data></array></value>" }, { headers: { "content-type": "text/xml" }, body: "<methodResponse><fault></fault></methodResponse>" }),
  exposure('web-statistics-exposed', '/webalizer/', html("<!--  Generated by The Webalizer  Ver. 2.23-08 -->"), html("Webalizer")),
  exposure('monitoring-graphs-exposed', '/munin/', html("<title>Munin :: overview</title>"), html("<title>Munin guide</title>")),
  exposure('monitoring-graphs-exposed', '/munin/', html('<title>\n    Munin\n  </title>\n<meta name="author" content="Auto-generated by Munin" />'), html('<title>Munin</title><p>About Munin')),
  exposure('apache-balancer-manager-open', '/balancer-manager', html("<h1>Load Balancer Manager for lab.test</h1><h3>LoadBalancer Status for <a>balancer://shop</a></h3>"), html("<h1>Load Balancer</h1>")),
  exposure('php-fpm-status-exposed', '/status', plain("pool:                 www\nprocess manager:      static\nstart time:           27/Nov/2026:04:24:23 +0000\naccepted conn:        1\n"), plain("pool: www\n")),
  exposure('squid-cache-manager-open', '/squid-internal-mgr/info', plain("Squid Object Cache: Version 5.7\nConnection information for squid:\n"), plain("Squid")),
  exposure('framework-routes-exposed', '/rails/info/routes', html("<title>Routes</title><table id='route_table'></table>"), html("<h1>Routes</h1>")),
  exposure('error-stack-trace-exposed', '/%c0', { status: 500, headers: { "content-type": "text/plain" }, body: "java.lang.IllegalStateException: no\n\tat com.acme.shop.Cart.add(Cart.java:42)\n" }, { status: 500, headers: { "content-type": "text/plain" }, body: "error" }),
  exposure('kinesis-open', '/', json({ HasMoreStreams: false, StreamNames: [] }), json({ __type: "MissingAuthenticationTokenException" })),
  exposure('source-browser-exposed', '/cgit/', html("<meta name='generator' content='cgit v1.2.3'/>"), html("<meta name='generator' content='Hugo'/>")),
  exposure('database-browser-open', '/', html("<title>RethinkDB Administration Console</title>"), html("<title>RethinkDB</title>")),
  exposure('system-information-exposed', '/phpsysinfo/', html("<title>phpSysInfo 3.4.2</title>"), html("<title>phpinfo</title>")),
  exposure('upload-server-open', '/files/', { status: 204, headers: { "tus-version": "1.0.0", "tus-extension": "creation,termination", "tus-resumable": "1.0.0" } }, { status: 204, headers: { allow: "OPTIONS" } }),
  exposure('nni-open', '/api/v1/nni/experiment', json({ params: { experimentName: "prices", trialCommand: "python trial.py", trialConcurrency: 1, maxTrialNumber: 2 }, id: "x7k2" }), json({ params: { id: "x7k2" } })),
  exposure('mobsf-open', '/recent_scans/', html('<title>Recent Scans</title><meta name="description" content="Mobile Security Framework - MobSF">'), html('<title>Recent Scans</title>')),
  exposure('visdom-open', '/env_state', json(["main"]), json({ error: "login" })),
  {
    id: 'streamsync-editor-open',
    has: pages({ '/': html('<title>Streamsync</title>'), '/api/init': json({ mode: "edit", sessionId: "c5", userState: {}, mail: [], components: {}, runCode: "import streamsync" }) }),
    hasNot: pages({ '/': html('<title>Streamsync</title>'), '/api/init': json({ mode: "run", sessionId: "c5", userState: {}, mail: [], components: {} }) }),
    at: ['/api/init'],
  },
  {
    id: 'crossbar-bridge-open',
    has: pages({ '/': crossbar, '/call': json({ args: [2] }) }),
    hasNot: pages({ '/': crossbar, '/call': { ...json({ error: "'key' field missing", args: [], kwargs: {} }), status: 400 } }),
    at: ['/call'],
  },
  {
    id: 'crossbar-bridge-open',
    has: pages({ '/': crossbar, '/publish': { ...json({ error: "Request body was valid JSON, but not well formed (missing key 'topic').", args: [] }), status: 400 } }),
    hasNot: pages({ '/': crossbar, '/call': json({ error: "wamp.error.not_authorized", args: [] }) }),
    at: ['/publish'],
  },
  exposure('archivebox-add-open', '/add/', html('<h1>ArchiveBox</h1><form id="add-form" method="POST"><textarea name="url" cols="40"></textarea></form>'), html('<h1>ArchiveBox</h1><form id="login-form" method="POST"><input name="username"></form>')),
  exposure('aws-emulator-open', '/_localstack/health', json({ services: { s3: "available" }, edition: "community", version: "3.0.0" }), json({ services: {} })),
  {
    id: 'localstack-diagnose-exposed',
    has: pages({ '/_localstack/health': json({ services: { s3: "running" }, edition: "community" }), '/_localstack/diagnose': json({ version: { "localstack-version": {} }, info: { machine_id: "gen_1" }, config: { DEBUG: true } }) }),
    hasNot: pages({ '/_localstack/health': json({ services: { s3: "running" }, edition: "community" }) }),
    at: ['/_localstack/diagnose'],
  },
  exposure('buildbot-open', '/', html('<title>Buildbot</title><script>angular.constant("config", {"auth": {"name": "NoAuth"}, "authz": {}})</script>'), html('<title>Buildbot</title><script>({"auth": {"name": "GitHub"}})</script>')),
  exposure('beets-web-open', '/stats', json({ albums: 1, items: 12 }), json({ items: 12 })),
  exposure('rpc-methods-listed', '/RPC2', { headers: { "content-type": "text/xml" }, body: "<methodResponse><params><param><value><array><data><value><string>add</string></value></data></array></value></param></params></methodResponse>" }, { headers: { "content-type": "text/xml" }, body: "<methodResponse><fault></fault></methodResponse>" }),
  exposure('web-ide-open', '/', html('<meta id="vscode-workbench-web-configuration" data-settings="{}">'), html('<meta id="vscode"><input type="password">')),
  exposure('graphql-ide-exposed', '/voyager', html("<title>GraphQL Voyager</title>"), html("<title>GraphQL</title>")),
  exposure('soap-description-exposed', '/?wsdl', { headers: { "content-type": "text/xml" }, body: '<definitions xmlns="http://schemas.xmlsoap.org/wsdl/"><portType><operation name="add"/></portType></definitions>' }, { headers: { "content-type": "text/xml" }, body: "<error/>" }),
  {
    id: 'nntp-open',
    protocol: 'nntp',
    has: script(crlf('200 news.lab.test ready, posting allowed'), (received) => crlf(received.toString().startsWith('LIST') ? '215 list follows' : '200 posting allowed')),
    hasNot: script(crlf('201 news.lab.test ready'), (received) => crlf(received.toString().startsWith('LIST') ? '480 authentication required' : '480 no')),
    at: [''],
  },
  {
    id: 'CVE-2025-3248',
    has: joining('/api/v1/validate/code', /@int\('(\w+)'\+'(\w+)'\)/, (text) => json({ function: { errors: [`invalid literal for int() with base 10: '${text}'`] } })),
    hasNot: denied('/api/v1/validate/code'),
    at: ['/api/v1/validate/code'],
  },
  {
    id: 'CVE-2024-38856',
    has: joining('/webtools/control/main/ProgramExport', /\('(\w+)'\\u002b'(\w+)'\)/, (text) => html(`java.lang.Exception: ${text}`)),
    hasNot: denied('/webtools/'),
    at: ['/webtools/control/main/ProgramExport'],
  },
  {
    id: 'CVE-2025-24893',
    has: joining('/bin/get/Main/SolrSearch', /println\('(\w+)'\+'(\w+)'\)/, (text) => html(`RSS feed for search on [}}}${text}]`)),
    hasNot: joining('/bin/get/Main/SolrSearch', /(println\S+)/, (text) => html(`RSS feed for search on [}}}${text}]`)),
    at: ['/bin/get/Main/SolrSearch'],
  },
  { id: 'CVE-2023-22527', has: multiplying('/template/aui/text-inline.vm'), hasNot: denied('/template/'), at: ['/template/aui/text-inline.vm'] },
  { id: 'CVE-2022-26134', has: multiplying('/%24%7B'), hasNot: denied('/%24'), at: ['ANY'] },
  exposure('minio-metrics-exposed', '/minio/v2/metrics/cluster', plain('# TYPE minio_cluster_disk_online_total gauge\nminio_cluster_disk_online_total{server="10.0.0.1:9000"} 4\n'), plain('# none\n')),
  exposure('CVE-2023-32235', '/assets/built%2F..%2F..%2F/package.json', plain('{"name":"casper","engines":{"ghost":">=5.0.0"}}'), plain('{"name":"shop","engines":{"node":">=20"}}')),
]
