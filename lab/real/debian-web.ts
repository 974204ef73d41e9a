/** Web servers, proxies and programs with a web interface. */
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { exposedSite, put, type Program, type Row, type RowContext } from './row.ts'

/** Creates a certificate with a 1,024-bit key that is valid for one day. */
export function weakCertificate(folder: string): readonly string[] {
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  const opensslArgs = '-x509 -newkey rsa:2048 -pkeyopt rsa_keygen_bits:1024 -nodes -days 1 -subj /CN=lab.test -sha256'
  return ['openssl', 'req', ...opensslArgs.split(' '), '-keyout', key, '-out', certificate]
}

const nginx: Row = {
  id: 'D06',
  packages: ['nginx'],
  listens: ['127.78.0.6:80', '127.78.0.6:443'],
  prepare({ folder }): Program {
    const root = exposedSite(folder)
    const status = 'location = /nginx_status{stub_status;}'
    const temporary = 'client_body proxy fastcgi uwsgi scgi'
      .split(' ')
      .map((name) => `${name}_temp_path ${folder}/${name};`)
      .join(' ')
    const tls = `ssl_certificate ${folder}/certificate.pem; ssl_certificate_key ${folder}/key.pem; ssl_protocols TLSv1 TLSv1.1 TLSv1.2; ssl_ciphers ALL:@SECLEVEL=0;`
    const file = put(
      folder,
      'conf',
      `worker_processes 1; daemon off; pid ${folder}/pid; error_log ${folder}/errors;
events{worker_connections 512;}
http{ access_log off; default_type text/plain; types{text/html html;} ${temporary}
server{ listen 127.78.0.6:80; root ${root}; autoindex on; ${status} location /alias{alias ${root}/;} }
server{ listen 127.78.0.6:443 ssl; root ${root}; autoindex on; ${tls} ${status} }
}
`,
    )
    return { before: [weakCertificate(folder)], command: ['nginx', '-c', file] }
  },
}

const apache: Row = {
  id: 'D07',
  packages: ['apache2'],
  listens: ['127.78.0.7:80'],
  prepare({ folder }): Program {
    const root = exposedSite(folder)
    const modules = 'mpm_event authz_core authz_host mime dir autoindex status info'
      .split(' ')
      .map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so\n`)
      .join('')
    const open = (path: string) => `<Location /${path}>\n SetHandler ${path}\n Require all granted\n</Location>\n`
    const file = put(
      folder,
      'conf',
      `ServerRoot /etc/apache2\nServerName lab\nListen 127.78.0.7:80\nPidFile ${folder}/pid\nErrorLog ${folder}/errors\nUser www-data\nGroup www-data\n${modules}TypesConfig /etc/mime.types\nServerTokens Full\nServerSignature On\nTraceEnable On\nDocumentRoot ${root}\n<Directory ${root}>\n Options Indexes\n Require all granted\n</Directory>\n${open('server-status')}${open('server-info')}`,
    )
    return { command: ['apache2', '-f', file, '-DFOREGROUND'] }
  },
}

const lighttpd: Row = {
  id: 'D20',
  packages: ['lighttpd'],
  listens: ['127.78.0.25:80'],
  prepare({ folder }): Program {
    const root = exposedSite(folder, { withIndex: false })
    const file = put(
      folder,
      'conf',
      `server.document-root="${root}"\nserver.bind="127.78.0.25"\nserver.port=80\nserver.username="www-data"\nserver.modules=("mod_status","mod_dirlisting","mod_indexfile")\nstatus.status-url="/server-status"\ndir-listing.activate="enable"\nmimetype.assign=(".html"=>"text/html",".sql"=>"text/plain")\n`,
    )
    return { command: ['lighttpd', '-D', '-f', file] }
  },
}

const tomcat: Row = {
  id: 'D34',
  packages: ['tomcat10'],
  listens: ['127.78.0.41:8080'],
  prepare({ folder }): Program {
    for (const name of ['logs', 'temp', 'work', 'webapps/ROOT']) mkdirSync(join(folder, name), { recursive: true })
    for (const [from, to] of [
      ['/etc/tomcat10', 'conf'],
      ['/usr/share/tomcat10-root/default_root', 'webapps/ROOT'],
    ] as const) {
      if (existsSync(from)) cpSync(from, join(folder, to), { recursive: true, dereference: true })
    }
    const pages = join(folder, 'webapps/ROOT/index.html')
    if (!existsSync(pages))
      writeFileSync(pages, '<html><head><title>Apache Tomcat</title></head><body>It works !</body></html>\n')
    const server = join(folder, 'conf/server.xml')
    const text = readFileSync(server, 'utf8')
      .replace(/<Server port="[^"]*"/, '<Server port="-1"')
      .replace('<Connector port="8080"', '<Connector address="127.78.0.41" port="8080"')
    writeFileSync(server, text)
    return {
      command: ['/usr/share/tomcat10/bin/catalina.sh', 'run'],
      environment: { CATALINA_BASE: folder, CATALINA_HOME: '/usr/share/tomcat10' },
    }
  },
}

function configured(
  id: string,
  packages: string,
  listens: string,
  file: (context: RowContext) => readonly [string, string],
  command: (config: string, context: RowContext) => string,
): Row {
  const prepare = (context: RowContext): Program => {
    const [name, text] = file(context)
    const path = put(context.folder, name, text)
    return { command: command(path, context).split(' ') }
  }
  return { id, packages: [packages], listens: [listens], prepare }
}

export const webRows: readonly Row[] = [
  nginx,
  apache,
  lighttpd,
  tomcat,
  configured(
    'D18',
    'haproxy',
    '127.78.0.23:8404',
    () => [
      'conf',
      'defaults\n mode http\n timeout client 10s\n timeout server 10s\n timeout connect 5s\nfrontend f\n bind 127.78.0.23:8404\n stats enable\n stats uri /stats\n stats show-legends\n',
    ],
    (file) => `haproxy -db -f ${file}`,
  ),
  configured(
    'D19',
    'tinyproxy',
    '127.78.0.24:8888',
    ({ folder }) => {
      put(folder, 'log', '', 0o666)
      return [
        'conf',
        `User nobody\nPort 8888\nListen 127.78.0.24\nTimeout 60\nMaxClients 100\nLogFile "${folder}/log"\nPidFile "${folder}/pid"\nViaProxyName "tinyproxy"\n`,
      ]
    },
    (file) => `tinyproxy -d -c ${file}`,
  ),
  configured(
    'D25',
    'squid',
    '127.78.0.30:3128',
    ({ folder }) => {
      put(folder, 'log', '', 0o666)
      return [
        'conf',
        `http_port 127.78.0.30:3128\nhttp_access allow all\npid_filename none\ncache_log ${folder}/log\naccess_log none\ncache deny all\ncoredump_dir ${folder}\nvisible_hostname lab\nshutdown_lifetime 1 seconds\npinger_enable off\n`,
      ]
    },
    (file) => `squid -N -f ${file}`,
  ),
  configured(
    'D26',
    'prometheus',
    '127.78.0.33:9090',
    () => [
      'conf',
      'global:\n  scrape_interval: 60s\nscrape_configs:\n- job_name: p\n  static_configs:\n  - targets: ["127.78.0.33:9090"]\n',
    ],
    (file, { folder }) =>
      `prometheus --config.file=${file} --web.listen-address=127.78.0.33:9090 --storage.tsdb.path=${folder}/data`,
  ),
  {
    id: 'D27',
    packages: ['prometheus-node-exporter'],
    listens: ['127.78.0.34:9100'],
    prepare: () => ({ command: ['prometheus-node-exporter', '--web.listen-address=127.78.0.34:9100'] }),
  },
  configured(
    'D28',
    'transmission-daemon',
    '127.78.0.35:9091',
    ({ folder }) => {
      const off = 'rpc-authentication-required rpc-whitelist-enabled rpc-host-whitelist-enabled dht-enabled lpd-enabled'
      const flags = `${off} pex-enabled utp-enabled port-forwarding-enabled`.split(' ').map((name) => [name, false])
      const addresses = { 'rpc-bind-address': '127.78.0.35', 'bind-address-ipv4': '127.78.0.35' }
      const rest = { 'bind-address-ipv6': '::1', 'rpc-port': 9091, 'download-dir': folder }
      return ['settings.json', JSON.stringify({ ...addresses, ...rest, ...Object.fromEntries(flags) })]
    },
    (_file, { folder }) => `transmission-daemon -f -g ${folder}`,
  ),
]
