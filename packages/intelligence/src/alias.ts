/**
 * Alternative CPE names of products. Feeds, fingerprints, and other scanners use different vendor
 * names, and vendors rename themselves, so both sides of a comparison are mapped to the first name of
 * a group. The product name alone never identifies a product.
 */
import type { CpeName } from '#wfn.ts'

/** A `vendor:product` pair under its canonical name, quoted as in a formatted string. */
export type ProductKey = `${string}:${string}`

const aliasGroups: readonly (readonly ProductKey[])[] = [
  ['f5:nginx', 'nginx:nginx', 'igor_sysoev:nginx', 'nginx_inc:nginx'],
  ['redis:redis', 'redislabs:redis', 'redis_labs:redis', 'pivotal_software:redis'],
  ['squid-cache:squid', 'squid:squid', 'squid_cache:squid'],
  ['proftpd:proftpd', 'proftpd_project:proftpd'],
  ['exim:exim', 'university_of_cambridge:exim'],
  ['samba:rsync', 'rsync:rsync', 'andrew_tridgell:rsync', 'rsync_project:rsync'],
  ['tinyproxy_project:tinyproxy', 'banu:tinyproxy', 'tinyproxy:tinyproxy'],
  ['dovecot:dovecot', 'timo_sirainen:dovecot', 'open-xchange:dovecot'],
  ['oracle:mysql', 'mysql:mysql', 'oracle:mysql_server', 'mysql:mysql_server', 'mysql_ab:mysql'],
  ['mariadb:mariadb', 'mariadb_foundation:mariadb'],
  ['apache:tomcat', 'org.apache.tomcat:tomcat', 'apache_tomcat:tomcat', 'apache_software_foundation:tomcat'],
  ['apache:http_server', 'apache:httpd', 'apache_software_foundation:http_server', 'apache:apache_http_server'],
  ['vercel:next.js', 'zeit:next.js', 'zeit:next'],
  ['dropbear_ssh_project:dropbear_ssh', 'matt_johnston:dropbear_ssh_server', 'dropbear_ssh_project:dropbear'],
  ['vsftpd_project:vsftpd', 'beasts:vsftpd', 'redhat:vsftpd', 'vsftpd:vsftpd'],
  ['openbsd:openssh', 'openssh:openssh', 'openbsd:openbsd_openssh'],
  ['elastic:elasticsearch', 'elasticsearch:elasticsearch', 'org.elasticsearch:elasticsearch'],
  ['elastic:kibana', 'elasticsearch:kibana', 'elasticsearch:elasticsearch_kibana'],
  ['jenkins:jenkins', 'cloudbees:jenkins', 'jenkins-ci:jenkins'],
  ['openjsf:express', 'expressjs:express', 'expressjs:express.js'],
  ['nodejs:node.js', 'nodejs:nodejs', 'joyent:node.js', 'nodejs:node'],
  ['vitejs:vite', 'vite:vite', 'vite_project:vite'],
  ['vuejs:vue', 'vuejs:vue.js', 'vue:vue'],
  ['memcached:memcached', 'memcachedb:memcached', 'danga:memcached'],
  ['eclipse:jetty', 'mortbay:jetty', 'mortbay_jetty:jetty', 'jetty:jetty'],
  ['zimbra:collaboration', 'synacor:zimbra_collaboration_suite', 'zimbra:zimbra_collaboration_suite'],
  ['zimbra:collaboration', 'synocor:zimbra_collaboration_suite', 'zimbra:zimbra'],
  ['roundcube:webmail', 'roundcube:roundcube', 'roundcube:roundcube_webmail'],
  ['pureftpd:pure-ftpd', 'pure-ftpd:pure-ftpd'],
  ['thekelleys:dnsmasq', 'the_kelleys:dnsmasq', 'dnsmasq:dnsmasq'],
  ['postfix:postfix', 'wietse_venema:postfix'],
  ['vmware:rabbitmq', 'pivotal_software:rabbitmq', 'rabbitmq:rabbitmq'],
  ['vmware:spring_framework', 'pivotal_software:spring_framework', 'springsource:spring_framework'],
  ['vmware:spring_boot', 'pivotal_software:spring_boot'],
  ['traefik:traefik', 'containous:traefik'],
  ['varnish-software:varnish_cache', 'varnish_cache_project:varnish_cache', 'varnish-cache:varnish'],
  ['varnish-software:varnish_cache', 'varnish-cache:varnish_cache', 'varnish-software:varnish'],
  ['varnish-software:varnish_cache', 'varnish.projects.linpro:varnish', 'varnish-cache.org:varnish'],
  ['nlnetlabs:unbound', 'unbound:unbound'],
  ['icecast:icecast', 'xiph:icecast', 'icecast_project:icecast'],
  ['etcd:etcd', 'redhat:etcd', 'coreos:etcd'],
  ['apple:cups', 'openprinting:cups', 'easy_software_products:cups', 'cups:cups'],
  ['postgresql:postgresql', 'postgresql_global_development_group:postgresql'],
  ['php:php', 'php_group:php'],
  ['atlassian:confluence_server', 'atlassian:confluence', 'com.atlassian.confluence:confluence'],
  ['ngircd:ngircd', 'barton:ngircd'],
  ['typo3:typo3', 'typo3:cms'],
  ['ivanti:connect_secure', 'pulsesecure:pulse_connect_secure', 'juniper:pulse_connect_secure'],
  ['citrix:netscaler_application_delivery_controller', 'citrix:application_delivery_controller'],
  ['progress:moveit_transfer', 'ipswitch:moveit_transfer', 'ipswitch:moveit_dmz'],
  ['oracle:jdk', 'sun:jdk'],
  ['oracle:jre', 'sun:jre'],
  ['connectwise:screenconnect', 'connectwise:control', 'screenconnect:screenconnect'],
  ['netdata:netdata', 'my-netdata:netdata'],
  ['clickhouse:clickhouse', 'yandex:clickhouse'],
  ['torproject:tor', 'tor:tor', 'tor_project:tor'],
  ['pgadmin:pgadmin_4', 'postgresql:pgadmin_4'],
  ['edgewall:trac', 'edgewall_software:trac', 'trac:trac'],
  ['nicolargo:glances', 'glances_project:glances'],
  ['lfprojects:valkey', 'linuxfoundation:valkey', 'valkey-io:valkey'],
  ['nongnu:cvs', 'cvs:cvs', 'gnu:cvs'],
  ['cgit_project:cgit', 'lars_hjemli:cgit', 'jason_a_donenfeld:cgit'],
  ['cyrus:imap', 'cyrusimap:cyrus_imap', 'cmu:cyrus_imap_server', 'carnegie_mellon_university:cyrus_imap_server'],
  ['acme:thttpd', 'acme_labs:thttpd'],
  ['acme:mini-httpd', 'acme:mini_httpd'],
  ['argoproj:argo_cd', 'linuxfoundation:argo-cd'],
  ['caucho:resin', 'caucho_technology:resin'],
  ['ceph:ceph', 'redhat:ceph', 'linuxfoundation:ceph', 'ceph_project:ceph'],
  ['checkmk:checkmk', 'tribe29:checkmk', 'check_mk_project:check_mk'],
  ['linuxfoundation:nats-server', 'nats:nats_server'],
  ['monospace:directus', 'rangerstudio:directus'],
  ['osgeo:geoserver', 'geoserver:geoserver'],
  ['pandorafms:pandora_fms', 'artica:pandora_fms'],
  ['phppgadmin_project:phppgadmin', 'phppgadmin:phppgadmin'],
  ['rejetto:http_file_server', 'hfs:http_file_server'],
  ['suse:rancher', 'rancher:rancher'],
  ['powerdns:recursor', 'powerdns:powerdns_recursor'],
  ['powerdns:authoritative', 'powerdns:authoritative_server'],
  ['redhat:keycloak', 'keycloak:keycloak'],
  ['apache:activemq_artemis', 'apache:artemis'],
  ['digium:asterisk', 'sangoma:asterisk', 'asterisk:asterisk', 'asterisk:open_source'],
  ['redhat:wildfly', 'redhat:jboss_wildfly_application_server', 'wildfly:wildfly'],
  ['nagios:nagios', 'nagios:nagios_core'],
  ['docker:docker', 'mobyproject:moby'],
  ['unrealircd:unrealircd', 'unreal:unrealircd'],
  ['dokuwiki:dokuwiki', 'andreas_gohr:dokuwiki'],
  ['diagrams:drawio', 'drawio_project:drawio', 'jgraph:drawio'],
  ['ehang-io:nps', 'ehang:nps'],
  ['linuxfoundation:besu', 'hyperledger:besu'],
  ['linuxfoundation:jaeger', 'jaegertracing:jaeger'],
  ['h5ai_project:h5ai', 'larsjung:h5ai'],
  ['ariang_project:ariang', 'mayswind:ariang'],
  ['teableio:teable', 'teable:teable'],
  ['prasathmani:tiny_file_manager', 'tiny_file_manager_project:tiny_file_manager'],
  ['wgdashboard:wgdashboard', 'donaldzou:wgdashboard'],
  ['e2bn:e2guardian', 'e2guardian:e2guardian'],
  ['flask-dashboard:flask-monitoringdashboard', 'flask_dashboard:flask_monitoring_dashboard'],
  ['futo:immich', 'immich:immich'],
  ['netbox:netbox', 'netboxlabs:netbox'],
  ['owntone:owntone_server', 'owntone_project:owntone'],
  ['stonith404:pingvin-share', 'stonith404:pingvin_share'],
  ['microbin:microbin', 'szabodanika:microbin'],
  ['bradford_barrett:webalizer', 'webalizer:webalizer'],
  ['nocodb:nocodb', 'xgenecloud:nocodb'],
  ['daniel_naber:languagetool', 'languagetool:languagetool'],
  ['barracudanetworks:barracuda_ssl_vpn', 'barracuda:ssl_vpn'],
  ['netflix:conductor', 'orkes:conductor'],
  ['ansible-semaphore:ansible_semaphore', 'semaphoreui:semaphore'],
  ['xinference:xinference', 'xorbits:inference'],
  ['tiddlywiki:tiddlywiki5', 'tiddlywiki:tiddlywiki'],
  ['triliumnotes:trilium', 'trilium:trilium_notes'],
  ['vaemendis:vaemendis_ubooquity', 'ubooquity:ubooquity'],
  ['statping-ng:statping-ng', 'statping:statping'],
  ['savonet:liquidsoap', 'savonet:liguidsoap'],
  ['browserless:browserless', 'browserless:chrome'],
  ['vmware:nsx-t_data_center', 'broadcom:vmware_nsx-t_data_center', 'vmware:nsx-t'],
  ['mailcow:mailcow\\:_dockerized', 'mailcow:mailcow_dockerized'],
]

const canonicalKeyByAlias: ReadonlyMap<string, ProductKey> = new Map(
  aliasGroups.flatMap(([first, ...rest]) => (first ? rest.map((alias) => [alias, first] as const) : [])),
)

/** Most vendors have no aliases, so most lookups can be skipped. */
const vendorsWithAliases: ReadonlySet<string> = new Set(
  [...canonicalKeyByAlias.keys()].map((alias) => alias.slice(0, /(?<!\\):/.exec(alias)?.index)),
)

/** The canonical key of a name; null if its vendor or product is unspecified. */
export function productKey(name: Pick<CpeName, 'vendor' | 'product'>): ProductKey | null {
  if (isUnspecified(name.vendor) || isUnspecified(name.product)) return null
  const key: ProductKey = `${name.vendor}:${name.product}`
  return vendorsWithAliases.has(name.vendor) ? (canonicalKeyByAlias.get(key) ?? key) : key
}

function isUnspecified(value: string): boolean {
  return value === '*' || value === '-'
}
