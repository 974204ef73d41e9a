/** All native checks. */
import { dns } from '#native/dns.ts'
import { gitDaemon, rsync, subversion } from '#native/sources.ts'
import { mailPasswords } from '#native/mail.ts'
import { mysql } from '#native/mysql.ts'
import type { NativeSubject } from '#native/native.ts'
import { httpProxy, socksProxy } from '#native/proxy.ts'
import { rpcbind } from '#native/rpc.ts'
import { smb } from '#native/smb.ts'
import { ssh } from '#native/ssh.ts'
import { tlsOfService, upgradedTls } from '#native/tls.ts'
import { mdns, memcachedUdp, ntp, snmp, tftp } from '#native/udp-subjects.ts'

/** In the order in which they run on a service. */
export const subjects: readonly NativeSubject[] = [
  ssh,
  dns,
  smb,
  mysql,
  snmp,
  tftp,
  memcachedUdp,
  ntp,
  mdns,
  rsync,
  subversion,
  gitDaemon,
  httpProxy,
  socksProxy,
  rpcbind,
  tlsOfService,
  upgradedTls,
  mailPasswords,
]
