/** npm programs with known weaknesses, each in an exact version. */
import { join } from 'node:path'
import { exposedSite, linkModules, put, type Program, type Row, type RowContext } from './row.ts'

const node14 = 'node@14.21.3'

/** A row that runs a script with its packages. */
function script(id: string, packages: readonly string[], listens: string, source: string, oldNode = false): Row {
  const prepare = (context: RowContext): Program => {
    linkModules(context)
    put(context.folder, 'server.js', source)
    return { command: [oldNode ? oldNodeOf(context) : context.node, 'server.js'] }
  }
  return { id, packages: oldNode ? [...packages, node14] : packages, listens: [listens], prepare }
}

function oldNodeOf({ packages }: RowContext): string {
  return join(packages, 'node_modules/node/bin/node')
}

/** A row that runs a command of its package. */
function command(
  row: Omit<Row, 'prepare'>,
  args: readonly string[],
  files: (context: RowContext) => void = () => undefined,
  oldNode = false,
): Row {
  const prepare = (context: RowContext): Program => {
    linkModules(context)
    files(context)
    return { command: [oldNode ? oldNodeOf(context) : context.node, ...args] }
  }
  return { ...row, packages: oldNode ? [...row.packages, node14] : row.packages, prepare }
}

const libraries: Readonly<Record<string, string>> = {
  '/jquery.min.js': 'jquery/dist/jquery.min.js',
  '/bootstrap.min.js': 'bootstrap/dist/js/bootstrap.min.js',
  '/angular.min.js': 'angular/angular.min.js',
  '/lodash.min.js': 'lodash/lodash.min.js',
  '/handlebars.min.js': 'handlebars/dist/handlebars.min.js',
  '/moment.min.js': 'moment/min/moment.min.js',
  '/purify.min.js': 'dompurify/dist/purify.min.js',
  '/pdf.min.mjs': 'pdfjs-dist/build/pdf.min.mjs',
  '/vue.min.js': 'vue/dist/vue.min.js',
}

export const npmRows: readonly Row[] = [
  script(
    'N01',
    ['st@0.2.4'],
    '127.77.0.1:1337',
    `require('fs').mkdirSync('public', { recursive: true })
require('fs').writeFileSync('public/a.txt', 'hi')
const serve = require('st')({ path: 'public', url: '/public', passthrough: false })
require('http').createServer((q, r) => { if (!serve(q, r)) { r.statusCode = 404; r.end('not found') } }).listen(1337, '127.77.0.1')`,
  ),
  command(
    { id: 'N02', packages: ['http-server@0.9.0'], listens: ['127.77.0.2:8080'] },
    ['node_modules/http-server/bin/http-server', 'www', '-a', '127.77.0.2', '-p', '8080', '--cors'],
    ({ folder }) => void exposedSite(folder),
  ),
  command(
    { id: 'N03', packages: ['total.js@3.1.0'], listens: ['127.77.0.3:8000'] },
    ['-e', `process.chdir('app'); require('total.js').http('release', { ip: '127.77.0.3', port: 8000 })`],
    (context) => {
      linkModules(context, 'app')
      put(context.folder, 'app/secret.txt', 'TOPSECRET\n')
      put(context.folder, 'app/public/robots.txt', 'hi\n')
      put(
        context.folder,
        'app/controllers/default.js',
        `exports.install=function(){ROUTE('/',function(){this.plain('hello')})}\n`,
      )
    },
  ),
  command(
    { id: 'N04', packages: ['vite@6.2.2'], listens: ['127.77.0.4:5173'] },
    ['node_modules/vite/bin/vite.js', 'app', '--host', '127.77.0.4', '--port', '5173', '--strictPort'],
    ({ folder }) => {
      put(folder, 'app/index.html', '<html><body><script type="module" src="/main.js"></script></body></html>')
      put(folder, 'app/main.js', 'console.log(1)\n')
    },
  ),
  script(
    'N05',
    ['swagger-ui-dist@3.52.5', 'express@4.16.0'],
    '127.77.0.5:3000',
    `const e = require('express'), a = e()
a.use('/swagger-ui', e.static(require('swagger-ui-dist').absolutePath()))
a.get('/v2/api-docs', (q, r) => r.json({ swagger: '2.0', info: { title: 'Lab API', version: '1.0' }, host: 'lab.test', basePath: '/', paths: { '/users': { get: { responses: { 200: { description: 'ok' } } } } } }))
a.get('/go', (q, r) => r.redirect(q.query.to || '/'))
a.get('/', (q, r) => r.send('lab'))
a.listen(3000, '127.77.0.5')`,
  ),
  script(
    'N06',
    'jquery@1.12.4 bootstrap@3.3.7 angular@1.5.0 lodash@4.17.15 handlebars@4.0.11 moment@2.19.0 dompurify@2.0.16 pdfjs-dist@4.1.392 vue@2.5.0'.split(
      ' ',
    ),
    '127.77.0.6:8080',
    `const fs = require('fs'), files = ${JSON.stringify(libraries)}
const page = '<!doctype html><title>libs</title>' + Object.keys(files).map((k) => '<script src="' + k + '"></script>').join('\\n')
require('http').createServer((q, r) => {
  const path = q.url.split('?')[0]
  if (path === '/' || path === '/index.html') { r.setHeader('content-type', 'text/html'); return r.end(page) }
  if (files[path]) { r.setHeader('content-type', 'text/javascript'); return r.end(fs.readFileSync('node_modules/' + files[path])) }
  r.statusCode = 404; r.end('not found')
}).listen(8080, '127.77.0.6')`,
  ),
  command(
    { id: 'N07', packages: ['maildev@2.0.5'], listens: ['127.77.0.8:1080', '127.77.0.8:1025'] },
    'node_modules/maildev/bin/maildev --ip 127.77.0.8 --web-ip 127.77.0.8 --smtp 1025 --web 1080'.split(' '),
  ),
  script(
    'N08',
    ['cors-anywhere@0.4.4'],
    '127.77.0.9:8080',
    `require('cors-anywhere').createServer({ originWhitelist: [] }).listen(8080, '127.77.0.9')`,
  ),
  command(
    { id: 'N09', packages: ['node-red@1.2.9', 'node-red-dashboard@2.26.0'], listens: ['127.77.0.10:1880'] },
    '--require ./util-log.cjs node_modules/node-red/red.js -u ud -p 1880 -D uiHost=127.77.0.10'.split(' '),
    (context) => {
      linkModules(context, 'ud')
      // Its logger calls util.log, which Node 23 removed, and it doesn't start without a logger.
      put(context.folder, 'util-log.cjs', `require('util').log ??= (words) => console.log(words)\n`)
    },
  ),
  script(
    'N10',
    ['apollo-server@2.14.0', 'graphql@14'],
    '127.77.0.12:4000',
    `const { ApolloServer, gql } = require('apollo-server')
new ApolloServer({ typeDefs: gql\`type User{id:ID name:String email:String} type Query{users:[User] hello:String}\`,
  resolvers: { Query: { hello: () => 'hi', users: () => [] } }, introspection: true, playground: true }).listen({ port: 4000, host: '127.77.0.12' })`,
  ),
  {
    id: 'N11',
    packages: [],
    listens: ['127.77.0.14:9229'],
    prepare: ({ node }) => ({ command: [node, '--inspect=127.77.0.14:9229', '-e', 'setInterval(()=>{},1e9)'] }),
  },
  script(
    'N12',
    ['ftp-srv@4.3.1'],
    '127.77.0.16:21',
    `require('fs').mkdirSync('www', { recursive: true })
const f = new (require('ftp-srv'))({ url: 'ftp://127.77.0.16:21', anonymous: true, pasv_url: '127.77.0.16', pasv_min: 40000 })
f.on('login', (d, r) => r({ root: 'www' })); f.listen()`,
  ),
  script(
    'N13',
    ['aedes@0.46.0'],
    '127.77.0.17:1883',
    `require('net').createServer(require('aedes')().handle).listen(1883, '127.77.0.17')`,
  ),
  command(
    { id: 'N14', packages: ['verdaccio@4.13.2'], listens: ['127.77.0.18:4873'] },
    'node_modules/verdaccio/bin/verdaccio -l 127.77.0.18:4873 -c config.yaml'.split(' '),
    ({ folder }) =>
      void put(
        folder,
        'config.yaml',
        'storage: ./storage\nauth:\n  htpasswd:\n    file: ./htpasswd\nuplinks: {}\npackages:\n  "**":\n    access: $all\n    publish: $all\nlogs:\n  - {type: stdout, format: pretty, level: warn}\n',
      ),
    true,
  ),
  command(
    { id: 'N15', packages: ['json-server@0.17.4'], listens: ['127.77.0.19:3000'] },
    'node_modules/json-server/lib/cli/bin.js db.json -H 127.77.0.19 -p 3000'.split(' '),
    ({ folder }) =>
      void put(
        folder,
        'db.json',
        '{"users":[{"id":1,"name":"Ann","email":"ann@lab.test"},{"id":2,"name":"Bob","email":"bob@lab.test"}],"posts":[]}',
      ),
  ),
  command(
    {
      id: 'N16',
      packages: ['webpack@4.20.0', 'webpack-cli@3.1.2', 'webpack-dev-server@3.1.9'],
      listens: ['127.77.0.20:8080'],
    },
    'node_modules/webpack-dev-server/bin/webpack-dev-server.js --host 127.77.0.20 --port 8080 --mode development'.split(
      ' ',
    ),
    ({ folder }) => void put(folder, 'src/index.js', 'console.log("lab")\n'),
    true,
  ),
  script(
    'N17',
    ['restify@8.5.1'],
    '127.77.0.21:8080',
    `const s = require('restify').createServer({ name: 'restify' })
s.get('/', (q, p, n) => { p.send({ ok: 1 }); n() }); s.listen(8080, '127.77.0.21')`,
    true,
  ),
  command(
    { id: 'N18', packages: ['browser-sync@2.26.3'], listens: ['127.77.0.23:3000', '127.77.0.23:3001'] },
    'node_modules/browser-sync/dist/bin.js start --server backup --listen 127.77.0.23 --port 3000 --ui-port 3001 --no-open --no-online'.split(
      ' ',
    ),
    ({ folder }) => {
      put(
        folder,
        'backup/dump.sql',
        '-- MySQL dump 10.13\nDROP TABLE IF EXISTS `users`;\nCREATE TABLE `users` (id int);\nINSERT INTO `users` VALUES (1);\n',
      )
      put(folder, 'backup/index.html', '<html><body>b</body></html>\n')
    },
  ),
]

/** Hostile hosts. They must not cause false positives or delay the scan of others. */
export const trapRows: readonly Row[] = [
  script(
    'X',
    [],
    '127.77.0.60:8080',
    `const http = require('http'), zlib = require('zlib')
const escaped = (s) => s.replace(/[&<>"']/g, (c) => '&#' + c.charCodeAt(0) + ';')
const decoded = (u) => { try { return decodeURIComponent(u) } catch { return u } }
const echo = (treat) => (q, r) => { r.setHeader('content-type', 'text/html'); r.end('<html><body>You asked for ' + treat(q.url) + '</body></html>') }
http.createServer(echo(escaped)).listen(8080, '127.77.0.60')
http.createServer(echo(decoded)).listen(8080, '127.77.0.63')
http.createServer((q, r) => { r.writeHead(200, { 'content-type': 'text/html' }); const t = setInterval(() => r.write('a'), 2000); r.on('close', () => clearInterval(t)) }).listen(8080, '127.77.0.61')
const bomb = zlib.gzipSync(Buffer.alloc(10 << 20))
http.createServer((q, r) => {
  const p = q.url.split('?')[0]
  if (p.startsWith('/loop') || p === '/redirect') { r.writeHead(302, { location: '/loop' + Math.random() }); return r.end() }
  if (p === '/endless') { r.writeHead(200); const b = Buffer.alloc(65536, 'z'); const t = setInterval(() => r.write(b), 5); return r.on('close', () => clearInterval(t)) }
  if (p === '/hdr') { try { r.writeHead(200, { 'x-big': 'a'.repeat(1 << 20) }) } catch {} return r.end() }
  r.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'text/html' }); r.end(bomb)
}).listen(8080, '127.77.0.62')`,
  ),
]
