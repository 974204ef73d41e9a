/** Mail servers. */
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { weakCertificate } from './debian-web.ts'
import { put, type Program, type Row } from './row.ts'

const dovecot: Row = {
  id: 'D31',
  packages: ['dovecot-imapd', 'dovecot-pop3d'],
  listens: [110, 143, 993, 995].map((port) => `127.78.0.39:${port}`),
  prepare({ folder }): Program {
    const users = `passdb {\n driver = static\n args = nopassword=y\n}\nuserdb {\n driver = static\n args = uid=nobody gid=nogroup home=${folder}/home/%u allow_all_users=yes\n}\nmail_location = maildir:${folder}/home/%u\n`
    const file = put(
      folder,
      'conf',
      `listen = 127.78.0.39\nprotocols = imap pop3\nbase_dir = ${folder}/base\nstate_dir = ${folder}/base\nssl = yes\nssl_cert = <${folder}/certificate.pem\nssl_key = <${folder}/key.pem\nssl_min_protocol = TLSv1\nssl_cipher_list = ALL:@SECLEVEL=0\ndisable_plaintext_auth = no\nauth_mechanisms = plain login\nlog_path = /dev/stderr\n${users}`,
    )
    return { before: [weakCertificate(folder)], command: ['dovecot', '-F', '-c', file] }
  },
}

const queueFolders = 'active bounce corrupt defer deferred flush hold incoming private saved trace'.split(' ')

const postfix: Row = {
  id: 'D32',
  packages: ['postfix'],
  listens: ['127.78.0.40:25'],
  prepare({ folder }): Program {
    const config = join(folder, 'etc')
    cpSync('/etc/postfix', config, { recursive: true })
    put(
      config,
      'main.cf',
      `compatibility_level=3.6\nqueue_directory=${folder}/queue\ndata_directory=${folder}/data\ncommand_directory=/usr/sbin\ndaemon_directory=/usr/lib/postfix/sbin\nmyhostname=mx.lab.test\nmydestination=lab.test\ninet_interfaces=loopback-only\ninet_protocols=ipv4\nmynetworks=127.78.0.40/32\nsmtpd_relay_restrictions=reject_unauth_destination\nmaillog_file=/dev/stdout\nalias_maps=\n`,
    )
    const standard = ['/etc/postfix/master.cf', '/usr/share/postfix/master.cf.dist'].find(existsSync) ?? ''
    const services = readFileSync(standard, 'utf8')
      .split('\n')
      .filter((line) => !line.startsWith('postlog'))
      .flatMap((line) =>
        /^smtp +inet/.test(line)
          ? ['127.78.0.40:25 inet n - n - - smtpd', 'postlog unix-dgram n - n - 1 postlogd']
          : [line],
      )
    put(config, 'master.cf', services.join('\n'))
    const createFolder = (name: string, args: readonly string[]) => ['install', '-d', ...args, join(folder, name)]
    return {
      before: [
        ...queueFolders.map((name) => createFolder(`queue/${name}`, ['-o', 'postfix', '-m', '700'])),
        createFolder('queue/maildrop', ['-o', 'postfix', '-g', 'postdrop', '-m', '730']),
        createFolder('queue/public', ['-o', 'postfix', '-g', 'postdrop', '-m', '710']),
        createFolder('queue/pid', ['-m', '755']),
        createFolder('data', ['-o', 'postfix']),
      ],
      command: ['postfix', '-c', config, 'start-fg'],
      pidFile: join(folder, 'queue/pid/master.pid'),
    }
  },
}

const exim: Row = {
  id: 'D33',
  packages: ['exim4-daemon-light', 'exim4-base', 'libidn12'],
  listens: ['127.78.0.43:25'],
  prepare({ folder, packages }): Program {
    for (const name of ['spool', 'log']) mkdirSync(join(folder, name))
    const file = put(
      folder,
      'conf',
      `primary_hostname = mx2.lab.test\nlocal_interfaces = 127.78.0.43\ndaemon_smtp_ports = 25\nspool_directory = ${folder}/spool\nlog_file_path = ${folder}/log/%s\nexim_user = nobody\nexim_group = nogroup\nnever_users =\nacl_smtp_rcpt = acl_ok\nacl_smtp_vrfy = acl_ok\nacl_smtp_data = acl_ok\ntls_advertise_hosts =\nkeep_environment =\nbegin acl\nacl_ok:\n  accept\nbegin routers\nall:\n  driver = accept\n  transport = null\nbegin transports\nnull:\n  driver = appendfile\n  file = /dev/null\n  user = nobody\n`,
    )
    return {
      before: [
        ['sh', '-c', 'id Debian-exim >/dev/null 2>&1 || useradd --system --no-create-home Debian-exim'],
        ['chown', '-R', 'nobody', join(folder, 'spool'), join(folder, 'log')],
      ],
      command: [join(packages, 'usr/sbin/exim4'), '-bdf', '-C', file, '-oP', join(folder, 'pid')],
    }
  },
}

export const mailRows: readonly Row[] = [dovecot, postfix, exim]
