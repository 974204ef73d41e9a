/**
 * Programs of the lab that prove each native check when weak and on which it stays silent when hardened. Checks that
 * are missing here were only tried on a stand-in, or on a program without a hardened variant.
 */
export const verifiedOn: Readonly<Record<string, readonly string[]>> = {
  'dns-open-recursion': ['bind9'],
  'dns-version-disclosed': ['bind9', 'knot', 'pdns', 'unbound'],
  'dns-zone-transfer': ['bind9', 'knot', 'pdns'],
  'git-daemon-open': ['git-daemon'],
  'http-proxy-open': ['privoxy', 'squid', 'tinyproxy'],
  'memcached-udp-amplification': ['memcached'],
  'mysql-root-without-password': ['mariadb'],
  'rsync-module-writable': ['rsync'],
  'smb-guest-share': ['samba'],
  'smb-signing-optional': ['samba'],
  'smb1-enabled': ['samba'],
  'snmp-community-private': ['snmpd'],
  'snmp-community-public': ['snmpd'],
  'ssh-cipher-weak': ['openssh'],
  'ssh-kex-weak': ['openssh'],
  'ssh-mac-weak': ['openssh'],
  'ssh-password-login': ['dropbear', 'openssh'],
  'svn-anonymous-write': ['svnserve'],
  'tftp-readable': ['atftpd', 'tftpd-hpa'],
  'tls-key-weak': ['dovecot', 'nginx'],
  'vnc-cleartext': ['tigervnc'],
  'vnc-no-password': ['tigervnc', 'x11vnc'],
}
