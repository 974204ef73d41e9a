/**
 * A vulnerable and a similar but secure server for each check. The secure server responds like
 * a correctly configured host, not like an empty one.
 */
import { crlf, decent, exposure, html, json, pages, plain, safeHeaders } from './replies.ts'
import { type Case, script, type Tls } from './servers.ts'

export const exposures: readonly Case[] = [
  exposure('git-config-exposed', '/.git/config', plain('[core]\n\trepositoryformatversion = 0\n\tbare = false\n'), plain('[other]\n')),
  exposure('env-file-exposed', '/.env', plain('APP_ENV=production\nDB_PASSWORD=hunter2\n'), plain('hello = world\n')),
  exposure('env-file-exposed', '/.env', plain('# database\nSTATION_DB=dbi:Pg\nSTATION_PW=hunter2'), plain('STATUS=ok\nall fine\n')),
  exposure('CVE-2021-41773', '/icons/.%2e/%2e%2e/%2e%2e/%2e%2e/etc/passwd', plain('root:x:0:0:root:/root:/bin/bash\n'), plain('root of all\n')),
  exposure('CVE-2021-43798', '/public/plugins/alertlist/../../../../../../../../../etc/passwd', plain('root:x:0:0:root:/root:/bin/bash\n')),
  exposure('svn-exposed', '/.svn/wc.db', plain('SQLite format 3\0.....CREATE TABLE WCROOT (')),
  exposure('hg-exposed', '/.hg/requires', plain('dotencode\nfncache\nrevlogv1\nstore\n')),
  exposure('ds-store-exposed', '/.DS_Store', { body: Buffer.from('0000000142756431000010000000080000001000', 'hex') }),
  exposure('sql-dump-exposed', '/backup/dump.sql', plain('-- MySQL dump 10.13\nCREATE TABLE `users` (\n'), html('CREATE TABLE is a statement.')),
  exposure('backup-archive-exposed', '/backup.zip', { headers: { 'content-type': 'application/zip' }, body: Buffer.from('504b030414000000', 'hex') }),
  exposure('apache-server-status', '/server-status', html('<h1>Apache Server Status for lab.test (via 127.0.0.1)</h1>')),
  exposure('apache-server-info', '/server-info', html('<h1>Apache Server Information</h1><dt><strong>Module Name:</strong>')),
  exposure('nginx-stub-status', '/nginx_status', plain('Active connections: 1 \nserver accepts handled requests\n 1 1 1 \nReading: 0\n')),
  exposure('phpinfo-exposed', '/info.php', html('<title>PHP 8.2.1 - phpinfo()</title><h1>PHP Version 8.2.1</h1>PHP License')),
  exposure('prometheus-metrics-exposed', '/metrics', plain('# HELP up Up.\n# TYPE up gauge\nup 1\n'), html('# TYPE up gauge')),
  exposure('spring-actuator-env', '/actuator/env', json({ activeProfiles: [], propertySources: [] }), json({ status: 'UP' })),
  exposure('haproxy-statistics-admin', '/stats', html('<h2>Statistics Report for HAProxy</h2><form method="post">Choose the action to perform on the checked servers : ')),
  exposure('haproxy-statistics-open', '/stats', html('<h1>HAProxy version 2.6.12</h1><h2>Statistics Report for HAProxy</h2>')),
  exposure('swagger-api-docs', '/v2/api-docs', json({ swagger: '2.0', info: {} }), json({ api: '2.0' })),
  exposure('sparql-endpoint-open', '/ds/query?query=ASK%7B%7D', json({ head: {}, boolean: true }), json({ head: { vars: ['s'] }, results: { bindings: [] } })),
  exposure('graphql-introspection', '/graphql', json({ data: { __schema: { queryType: { name: 'Query' } } } }), json({ errors: [{ message: 'introspection is disabled' }] })),
]

const requestHeader = (headers: NodeJS.Dict<string | string[]>, name: string) => String(headers[name] ?? '')

export const web: readonly Case[] = [
  { id: 'security-headers-weak', tls: { name: 'lab.test' }, has: pages({ '/': decent }), hasNot: pages({ '/': html('', safeHeaders) }), at: ['/ grade-f'] },
  {
    id: 'trace-enabled',
    has: ({ method, raw }) => (method === 'TRACE' ? { headers: { 'content-type': 'message/http' }, body: raw } : decent),
    hasNot: ({ method }) => (method === 'TRACE' ? { status: 405 } : decent),
    at: ['/'],
  },
  {
    id: 'cors-reflects-origin',
    has: ({ headers }) => html('', { 'access-control-allow-origin': requestHeader(headers, 'origin'), 'access-control-allow-credentials': 'true' }),
    hasNot: () => html('', { 'access-control-allow-origin': '*' }),
    at: ['/'],
  },
  {
    id: 'basic-auth-over-http',
    has: () => ({ status: 401, headers: { 'www-authenticate': 'Basic realm="x"' } }),
    hasNot: () => ({ status: 401, headers: { 'www-authenticate': 'Bearer' } }),
    at: ['/'],
  },
  { id: 'default-page', has: pages({ '/': html('<title>Welcome to nginx!</title>') }), hasNot: pages({ '/': decent }), at: ['/ nginx'] },
]

const es = { name: 'node', cluster_name: 'lab', version: { lucene_version: '9.4.1' }, tagline: 'You Know, for Search' }

export const services: readonly Case[] = [
  exposure('elasticsearch-open', '/', json(es), { status: 401, body: '{"error":"security_exception"}' }),
  exposure('owhttpd-open', '/', html("<TITLE>1-Wire Web: Directory</TITLE><TD><A HREF='/28.67C6697351FF'>28</A></TD>"), html("<TITLE>1-Wire Web: Directory</TITLE><TD><A HREF='/'>top</A></TD>")),
  exposure('etcd-open', '/v3/kv/range', json({ header: { cluster_id: '1', revision: '1', raft_term: '2' } }), { status: 400, body: '{"error":"user name is empty"}' }),
  exposure('etcd-peer-open', '/members', { body: '[{"id":13676742024713220054,"peerURLs":["http://10.0.0.5:2380"],"name":"a","clientURLs":[]}]\n' }, json({ members: [{ id: '8e9e05c52164694d', peerURLs: ['http://10.0.0.5:2380'] }] })),
  exposure('docker-api-open', '/version', json({ ApiVersion: '1.43', GitCommit: 'a', GoVersion: 'go1.20' }), json({ version: '1' })),
  exposure('kubelet-open', '/runningpods/', json({ kind: 'PodList', apiVersion: 'v1', items: [] }), { status: 401, body: 'Unauthorized' }),
  {
    id: 'kubelet-read-only-open',
    has: pages({ '/runningpods/': { status: 405, body: 'Debug endpoints are disabled.\n' }, '/pods': json({ kind: 'PodList', apiVersion: 'v1', items: [] }) }),
    hasNot: pages({ '/runningpods/': { status: 401, body: 'Unauthorized' }, '/pods': { status: 401, body: 'Unauthorized' } }),
    at: ['/pods'],
  },
  exposure('node-inspector-open', '/json/list', { body: '[{ "type": "node", "devtoolsFrontendUrl": "x", "webSocketDebuggerUrl": "ws://x" }]' }, json([])),
  exposure('jenkins-script-console-open', '/script', html('<h1>Script Console</h1>println(Jenkins.instance.pluginManager.plugins)'), { status: 403 }),
  exposure('jenkins-script-console-open', '/api/json', json({ nodeDescription: 'the master Hudson node', useCrumbs: false, useSecurity: false }), json({ nodeDescription: 'the master Hudson node', useCrumbs: false, useSecurity: true })),
  exposure('jenkins-script-console-open', '/', html('<script>var needsAdminLogin = false;</script><script src="/scripts/init-setup.js"></script><h1>Hudson CI Server Initial Setup </h1>'), html('<script>var needsAdminLogin = true;</script><script src="/scripts/init-setup.js"></script><h1>Hudson CI Server Initial Setup </h1>')),
  exposure('jackrabbit-open', '/server/default/jcr:root', { body: '<sv:node sv:name="jcr:root" xmlns:sv="http://www.jcp.org/jcr/sv/1.0"><sv:property sv:name="jcr:primaryType" sv:type="Name"/></sv:node>' }, { status: 401 }),
  {
    id: 'CVE-2023-37895',
    has: pages({ '/server/': html('<title>Jackrabbit 2.20.10</title>'), '/rmi': { headers: { 'content-type': 'application/octet-stream' }, body: 's}\u0000\u0002\u0000\u000fjava.rmi.Remote\u00001org.apache.jackrabbit.rmi.remote.RemoteRepository\u0078r\u0000' } }),
    hasNot: pages({ '/server/': html('<title>Jackrabbit 2.20.11</title>'), '/rmi': { headers: { 'content-type': 'application/octet-stream' }, body: 's}\u0000\u0002\u0000\u000fjava.rmi.Remote\u00001org.apache.jackrabbit.rmi.remote.RemoteRepository\u0078r\u0000' } }),
    at: ['/rmi'],
  },
  exposure('openam-setup-open', '/config/options.htm', html('<a id="DemoConfiguration" class="blue">Create Default Configuration</a><a id="CreateNewConf">Create New Configuration</a><script>YAHOO.sun.identity.config.options.inProgress.hide()</script>'), { status: 302, headers: { location: '/XUI/' } }),
  exposure('maildev-open', '/', html('<title>MailDev</title>')),
  exposure('node-red-editor-open', '/settings', json({ httpNodeRoot: '/', editorTheme: {} }), { status: 401, body: 'Unauthorized' }),
  exposure('browsersync-ui-open', '/', html('<title>Browsersync</title>')),
  {
    id: 'redis-open',
    protocol: 'redis',
    has: script('', () => '$60\r\n# Server\r\nredis_version:7.0.15\r\nredis_mode:standalone\r\n'),
    hasNot: script('', () => '-NOAUTH Authentication required.\r\n'),
    at: [''],
  },
  {
    id: 'memcached-open',
    protocol: 'memcached',
    has: script('', () => 'STAT pid 1\r\nSTAT version 1.6.18\r\nEND\r\n'),
    hasNot: script('', () => 'CLIENT_ERROR unauthenticated\r\n'),
    at: [''],
  },
  {
    id: 'mqtt-open',
    protocol: 'mqtt',
    has: script('', (received) => (received[0] === 0x10 ? Buffer.from([0x20, 2, 0, 0]) : '')),
    hasNot: script('', () => Buffer.from([0x20, 2, 0, 5])),
    at: [''],
  },
  {
    id: 'ftp-anonymous',
    protocol: 'ftp',
    has: script(crlf('220 hello'), (received) => crlf(received.toString().startsWith('USER') ? '331 Password?' : '230 Welcome')),
    hasNot: script(crlf('220 hello'), (received) => crlf(received.toString().startsWith('USER') ? '331 Password?' : '530 Login incorrect')),
    at: [''],
  },
  { id: 'telnet-open', protocol: 'telnet', has: script(Buffer.from('fffd18fffd20fffb01', 'hex'), () => ''), hasNot: script(crlf('go away'), () => ''), at: [''] },
  {
    id: 'mongodb-open',
    protocol: 'mongodb',
    has: script('', () => Buffer.from('360000000100000001000000dd0700000000000000210000000464617461626173657300050000000001 6f6b00000000000000f03f00'.replace(' ', ''), 'hex')),
    hasNot: script('', () => Buffer.from('....ok\0errmsg\0command listDatabases requires authentication\0', 'latin1')),
    at: [''],
  },
  {
    id: 'postgresql-trust',
    protocol: 'postgresql',
    has: script('', () => Buffer.from('R\0\0\0\u0008\0\0\0\0S\0\0\0\u0019server_version\x0015.1\0', 'latin1')),
    hasNot: script('', () => Buffer.from('R\0\0\0\u0017\0\0\0\u000aSCRAM-SHA-256\0\0', 'latin1')),
    at: [''],
  },
  {
    id: 'influxdb-backup-open',
    protocol: 'influxdb-backup',
    has: script('', () => '{"Paths":["shop/autogen/1"]}\n'),
    hasNot: script('', () => '{"error":"unauthorized"}\n'),
    at: [''],
  },
  {
    id: 'beanstalkd-open',
    protocol: 'beanstalkd',
    has: script('', () => 'OK 50\r\n---\ncurrent-jobs-urgent: 0\ncurrent-jobs-ready: 0\n\r\n'),
    hasNot: script('', () => 'UNKNOWN_COMMAND\r\n'),
    at: [''],
  },
  {
    id: 'lpd-queue-open',
    protocol: 'lpd',
    has: script('', () => "Printer: hp4250@localhost 'Office' (printing disabled)\n Queue: 2 printable jobs\n Server: no server active\n"),
    hasNot: script('', () => 'no connect permissions\n'),
    at: [''],
  },
  {
    id: 'rsync-modules-listed',
    protocol: 'rsync',
    has: script('@RSYNCD: 31.0\n', (received) => (received.toString().includes('#list') ? 'public         \tfiles for all\n@RSYNCD: EXIT\n' : '')),
    hasNot: script('@RSYNCD: 31.0\n', (received) => (received.toString().includes('#list') ? '@RSYNCD: EXIT\n' : '')),
    at: [''],
  },
]

const healthy: Tls = { name: 'lab.test', issuer: 'Lab authority', minVersion: 'TLSv1.2' }
const tlsCase = (id: string, tls: Tls, at: readonly string[]): Case => ({
  id,
   has: pages({ '/': decent }),
  hasNot: pages({ '/': decent }),
  tls,
  healthyTls: healthy,
  at,
})
export const tls: readonly Case[] = [
  tlsCase('tls-version-weak', { ...healthy, minVersion: 'TLSv1' }, [' tls tls10', ' tls tls11']),
  tlsCase('tls-certificate-expired', { ...healthy, days: -3 }, [' tls']),
  tlsCase('tls-certificate-self-signed', { name: 'lab.test' }, [' tls']),
  tlsCase('tls-certificate-name-mismatch', { ...healthy, name: 'other.test' }, [' tls']),
]
