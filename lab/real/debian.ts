/** Programs of Debian 12, each with a common misconfiguration. All of them start as root. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { mailRows } from './debian-mail.ts'
import { webRows } from './debian-web.ts'
import { put, type Program, type Row, type RowContext } from './row.ts'

function row(
  id: string,
  packages: string,
  listens: readonly string[],
  command: string | ((context: RowContext) => string | Program),
): Row {
  const prepare = (context: RowContext): Program => {
    const program = typeof command === 'string' ? command : command(context)
    return typeof program === 'string' ? { command: program.split(' ') } : program
  }
  return { id, packages: packages.split(' '), listens, prepare }
}

const dataRows: readonly Row[] = [
  row('D01', 'redis-server', ['127.78.0.1:6379'], () => ({
    command: ['redis-server', '--bind', '127.78.0.1', '--protected-mode', 'no', '--save', ''],
  })),
  row('D02', 'memcached', ['127.78.0.2:11211'], 'memcached -u nobody -l 127.78.0.2 -p 11211 -U 11211'),
  row('D03', 'mosquitto', ['127.78.0.3:1883'], ({ folder }) => {
    return `mosquitto -c ${put(folder, 'conf', 'listener 1883 127.78.0.3\nallow_anonymous true\n')}`
  }),
  row(
    'D11',
    'etcd-server',
    ['127.78.0.12:2379', '127.78.0.12:2380'],
    'etcd --data-dir data --listen-client-urls http://127.78.0.12:2379 --advertise-client-urls http://127.78.0.12:2379 --listen-peer-urls http://127.78.0.12:2380 --initial-advertise-peer-urls http://127.78.0.12:2380 --initial-cluster default=http://127.78.0.12:2380',
  ),
  row('D12', 'beanstalkd', ['127.78.0.14:11300'], () => ({
    command: ['beanstalkd', '-l', '127.78.0.14', '-p', '11300'],
    user: 'nobody',
  })),
  row('D13', 'gearman-job-server', ['127.78.0.15:4730'], 'gearmand -L 127.78.0.15 -p 4730 --log-file stderr -u nobody'),
  row('D21', 'postgresql-15', ['127.78.0.26:5432'], ({ folder }) => {
    const data = join(folder, 'data')
    const bin = '/usr/lib/postgresql/15/bin'
    return {
      user: 'postgres',
      before: [[`${bin}/initdb`, '-A', 'trust', '-D', data]],
      command: [`${bin}/postgres`, '-D', data, '-h', '127.78.0.26', '-k', folder],
    }
  }),
  row('D22', 'mariadb-server', ['127.78.0.27:3306'], ({ folder }) => {
    const data = join(folder, 'data')
    const socket = join(folder, 's.sock')
    const grant = "create user root@'127.%' identified by ''; grant all on *.* to root@'127.%'"
    return {
      user: 'mysql',
      before: [
        ['mariadb-install-db', '--no-defaults', '--auth-root-authentication-method=normal', `--datadir=${data}`],
      ],
      command: [
        'mariadbd',
        '--no-defaults',
        `--datadir=${data}`,
        '--bind-address=127.78.0.27',
        `--socket=${socket}`,
        '--skip-name-resolve',
      ],
      after: [['mariadb', '--no-defaults', '-u', 'root', `--socket=${socket}`, '-e', grant]],
    }
  }),
  row('D23', 'slapd', ['127.78.0.28:389'], ({ folder }) => {
    mkdirSync(join(folder, 'ldap'))
    const file = put(
      folder,
      'conf',
      `include /etc/ldap/schema/core.schema\nmodulepath /usr/lib/ldap\nmoduleload back_mdb\npidfile ${folder}/pid\ndatabase mdb\nsuffix dc=lab,dc=test\ndirectory ${folder}/ldap\naccess to * by * read\n`,
    )
    return `slapd -d 0 -h ldap://127.78.0.28:389 -f ${file}`
  }),
]

const fileRows: readonly Row[] = [
  row('D04', 'vsftpd', ['127.78.0.4:21'], ({ folder }) => {
    put(folder, 'ftp/pub/readme.txt', 'readme\n')
    mkdirSync('/run/vsftpd/empty', { recursive: true })
    const file = put(
      folder,
      'conf',
      `listen=YES\nlisten_ipv6=NO\nlisten_address=127.78.0.4\nanonymous_enable=YES\nbackground=NO\nseccomp_sandbox=NO\nanon_root=${folder}/ftp\nsecure_chroot_dir=/run/vsftpd/empty\n`,
    )
    return `vsftpd ${file}`
  }),
  row('D09', 'rsync', ['127.78.0.10:873'], ({ folder }) => {
    put(folder, 'public/a', 'x\n')
    put(folder, 'backup/a', 'x\n')
    const modules = `[public]\npath=${folder}/public\nread only=no\ncomment=public\n[backup]\npath=${folder}/backup\ncomment=backup\n`
    const file = put(folder, 'conf', `address=127.78.0.10\nport=873\nuse chroot=no\n${modules}`)
    return `rsync --daemon --no-detach --config=${file}`
  }),
  row('D17', 'tftpd-hpa', [], ({ folder }) => {
    put(folder, 'tftp/pub/readme.txt', 'readme\n')
    return `in.tftpd -L -a 127.78.0.22:69 --user nobody --secure ${folder}/tftp`
  }),
  row('D24', 'samba', ['127.78.0.29:445'], ({ folder }) => {
    const folders = 'lock state cache pid private ncalrpc'.split(' ')
    for (const name of folders) mkdirSync(join(folder, name))
    mkdirSync(join(folder, 'share'), { mode: 0o777 })
    const paths =
      `lock directory=${folder}/lock\nstate directory=${folder}/state\ncache directory=${folder}/cache\n` +
      `pid directory=${folder}/pid\nprivate dir=${folder}/private\nncalrpc dir=${folder}/ncalrpc\nlog file=${folder}/log\n`
    const file = put(
      folder,
      'conf',
      `[global]\ninterfaces=127.78.0.29/8\nbind interfaces only=yes\nsmb ports=445\nserver min protocol=NT1\nmap to guest=Bad User\nworkgroup=LAB\ndisable spoolss=yes\nload printers=no\n${paths}[public]\npath=${folder}/share\nguest ok=yes\nwritable=yes\n`,
    )
    return `smbd -F --no-process-group -s ${file}`
  }),
  row('D29', 'subversion', ['127.78.0.36:3690'], ({ folder }) => {
    const repository = join(folder, 'repository')
    const config = `${repository}/conf/svnserve.conf`
    return {
      before: [
        ['svnadmin', 'create', repository],
        ['sh', '-c', `printf '[general]\\nanon-access = write\\nauth-access = write\\n' > ${config}`],
      ],
      command: ['svnserve', '-d', '--foreground', '--listen-host', '127.78.0.36', '-r', repository],
    }
  }),
  row('D30', 'git', ['127.78.0.38:9418'], ({ folder }) => ({
    before: [
      ['git', 'init', '-q', '--bare', join(folder, 'git/app.git')],
      ['touch', join(folder, 'git/app.git/git-daemon-export-ok')],
    ],
    command: [
      'git',
      'daemon',
      '--listen=127.78.0.38',
      '--export-all',
      '--reuseaddr',
      `--base-path=${join(folder, 'git')}`,
    ],
  })),
]

const networkRows: readonly Row[] = [
  row('D05', 'snmpd', [], ({ folder }) => {
    const file = put(
      folder,
      'conf',
      'agentaddress udp:127.78.0.5:161\nrocommunity public\nrwcommunity private\nsysLocation lab\nsysContact lab@lab.test\n',
    )
    return `snmpd -f -Lo -I -smux -C -c ${file}`
  }),
  row('D08', 'openssh-server', ['127.78.0.8:22'], ({ folder }) => {
    mkdirSync('/run/sshd', { recursive: true })
    const keys = ['rsa', 'ed25519'].map((type) => [type, join(folder, `key-${type}`)] as const)
    const file = put(
      folder,
      'conf',
      `Port 22\nListenAddress 127.78.0.8\n${keys.map(([, key]) => `HostKey ${key}\n`).join('')}PidFile none\nKexAlgorithms +diffie-hellman-group1-sha1\nCiphers +aes128-cbc,3des-cbc\nMACs +hmac-md5\nPermitRootLogin yes\nPasswordAuthentication yes\nUsePAM no\nMaxStartups 200\n`,
    )
    return {
      before: keys.map(([type, key]) => ['ssh-keygen', '-q', '-t', type, '-N', '', '-f', key]),
      command: ['/usr/sbin/sshd', '-D', '-e', '-f', file],
    }
  }),
  row('D10', 'bind9', ['127.78.0.11:5300'], ({ folder }) => {
    const zone = `$TTL 300\n@ SOA ns.lab.test. root.lab.test. 1 3600 600 86400 300\n@ NS ns.lab.test.\nns A 127.78.0.11\nwww A 127.78.0.6\nmx A 127.78.0.40\n@ MX 10 mx.lab.test.\n@ TXT "v=spf1 -all"\n`
    put(folder, 'lab.zone', zone)
    const file = put(
      folder,
      'conf',
      `options{directory "${folder}"; listen-on port 5300 {127.0.0.1;127.78.0.11;}; listen-on-v6{none;}; allow-transfer{any;}; recursion yes; allow-recursion{any;}; allow-query{any;}; dnssec-validation no; pid-file "${folder}/pid"; session-keyfile "${folder}/sk";};\ncontrols{};\nzone "lab.test"{type master; file "lab.zone";};\n`,
    )
    return { before: [['chown', '-R', 'bind', folder]], command: ['named', '-g', '-u', 'bind', '-c', file] }
  }),
  row('D14', 'ngircd', ['127.78.0.17:6667'], ({ folder }) => {
    const file = put(
      folder,
      'conf',
      '[Global]\nName = irc.lab.test\nInfo = lab\nListen = 127.78.0.17\nPorts = 6667\nServerUID = irc\nServerGID = irc\nMotdPhrase = hi\n[Options]\nDNS = no\nIdent = no\nPAM = no\n',
    )
    return `ngircd -n -f ${file}`
  }),
  row('D15', 'dropbear-bin', ['127.78.0.18:22'], ({ folder }) => ({
    before: [['dropbearkey', '-t', 'ed25519', '-f', join(folder, 'key')]],
    command: ['dropbear', '-F', '-E', '-r', join(folder, 'key'), '-p', '127.78.0.18:22', '-P', join(folder, 'pid')],
  })),
  row('D16', 'websockify', ['127.78.0.19:6080'], 'websockify 127.78.0.19:6080 127.78.0.20:5900'),
  row(
    'D35',
    'inetutils-telnetd socat',
    ['127.78.0.44:23'],
    'socat TCP-LISTEN:23,bind=127.78.0.44,fork,reuseaddr EXEC:/usr/sbin/telnetd,nofork',
  ),
]

/** Listens on all addresses of the machine, so it runs after all others and only in its own network namespace. */
export const everywhereRow: Row = row('D36', 'rpcbind', ['127.78.0.45:111'], 'rpcbind -f -w')

export const debianRows: readonly Row[] = [...dataRows, ...fileRows, ...networkRows, ...webRows, ...mailRows]
