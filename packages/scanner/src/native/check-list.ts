/** All native checks. */
import { amqp, amqpDefaultLogin } from '#native/amqp.ts'
import { interactiveConsole } from '#native/console.ts'
import { consoleMenu } from '#native/console-menu.ts'
import { databaseFiles } from '#native/web/database-files.ts'
import { distcc } from '#native/distcc.ts'
import { dns } from '#native/dns.ts'
import { folderFiles } from '#native/web/folder-files.ts'
import { ftpFiles, ftpUpload } from '#native/ftp.ts'
import { gitDaemon, rsync, subversion } from '#native/sources.ts'
import { directoryListing } from '#native/web/listing.ts'
import { grpc, grpcApis } from '#native/grpc.ts'
import { homekit } from '#native/homekit.ts'
import { ike } from '#native/ike.ts'
import { irc } from '#native/irc.ts'
import { iperf } from '#native/iperf.ts'
import { ipmi } from '#native/ipmi.ts'
import { jmx } from '#native/jmx.ts'
import { ldap } from '#native/ldap.ts'
import { lmtp, mailPasswords } from '#native/mail.ts'
import { mcp } from '#native/web/mcp.ts'
import { mongodbCompression } from '#native/mongodb.ts'
import { mysql } from '#native/mysql.ts'
import type { NativeCheck } from '#native/native-check.ts'
import { nbd } from '#native/nbd.ts'
import { nfsVersion4 } from '#native/nfs-v4.ts'
import { httpProxy, socksProxy } from '#native/proxy.ts'
import { nrpe } from '#native/nrpe.ts'
import { opcua } from '#native/opcua.ts'
import { openwire } from '#native/openwire.ts'
import { radius } from '#native/radius.ts'
import { rdp } from '#native/rdp.ts'
import { rpcbind } from '#native/rpc.ts'
import { rtsp } from '#native/rtsp.ts'
import { smb } from '#native/smb.ts'
import { snmp, snmpWrites } from '#native/snmp.ts'
import { spice } from '#native/spice.ts'
import { ssh } from '#native/ssh.ts'
import { sshChannel } from '#native/ssh-channel.ts'
import { tlsWeak } from '#native/tls-weak.ts'
import { tlsFlaws } from '#native/tls-flaws.ts'
import { tlsRobot } from '#native/tls-robot.ts'
import { tlsOfService, upgradedTls } from '#native/tls.ts'
import { turn } from '#native/turn.ts'
import { mdns, memcachedUdp, ntp, tftp } from '#native/udp-checks.ts'
import { udpExposed } from '#native/udp-exposed.ts'
import { vnc } from '#native/vnc.ts'
import { wamp } from '#native/web/wamp.ts'
import { webAdministration } from '#native/web/admin.ts'
import { webApi } from '#native/web/api.ts'
import { webBayeux } from '#native/web/bayeux.ts'
import { webDav } from '#native/web/dav.ts'
import { webForwardedHost } from '#native/web/forwarded-host.ts'
import { webFolders } from '#native/web/folders.ts'
import { webGoDebug } from '#native/web/go-debug.ts'
import { webGraphql } from '#native/web/graphql.ts'
import { webInternalAddress } from '#native/web/internal-address.ts'
import { webAccessBypass } from '#native/web/access-bypass.ts'
import { webApiCors } from '#native/web/api-cors.ts'
import { webApiSecrets } from '#native/web/api-secrets.ts'
import { confidentialFiles } from '#native/web/confidential-files.ts'
import { webBodies } from '#native/web/body-checks.ts'
import { webCache } from '#native/web/cache.ts'
import { webGraphqlRecords } from '#native/web/graphql-records.ts'
import { webMethodBypass } from '#native/web/method-bypass.ts'
import { webNegotiation } from '#native/web/negotiation.ts'
import { webOauthRedirect } from '#native/web/oauth-redirect.ts'
import { webOpenId } from '#native/web/openid.ts'
import { webPages } from '#native/web/pages.ts'
import { webPathParameter } from '#native/web/path-parameter.ts'
import { webParameters } from '#native/web/parameter-checks.ts'
import { gitOverHttp, subversionOverHttp } from '#native/web/repositories.ts'
import { webPersonalData } from '#native/web/personal-records.ts'
import { webPeoplePages } from '#native/web/people-pages.ts'
import { webRedirectContent } from '#native/web/redirect-content.ts'
import { webRecordPages } from '#native/web/record-pages.ts'
import { webScriptSecrets } from '#native/web/script-secrets.ts'
import { webSockets } from '#native/web/sockets.ts'
import { webSocketServices } from '#native/web/web-socket-services.ts'
import { webTerminal } from '#native/web/terminal.ts'
import { webTokens } from '#native/web/tokens.ts'
import { webUploadForm } from '#native/web/upload-form.ts'
import { webUpload } from '#native/web/upload.ts'
import { webVitest } from '#native/web/vitest.ts'
import { webVnc } from '#native/web/vnc.ts'
import { webXml, webXmlStored } from '#native/web/xml.ts'
import { xpra } from '#native/xpra.ts'
import { xymon } from '#native/xymon.ts'

/** In the order in which they run on a service. */
export const nativeCheckList: readonly NativeCheck[] = [
  ssh,
  sshChannel,
  dns,
  smb,
  mysql,
  mongodbCompression,
  amqp,
  amqpDefaultLogin,
  rdp,
  vnc,
  webVitest,
  webVnc,
  webSocketServices,
  wamp,
  databaseFiles,
  rtsp,
  ldap,
  irc,
  iperf,
  nbd,
  openwire,
  opcua,
  interactiveConsole,
  consoleMenu,
  distcc,
  jmx,
  snmp,
  snmpWrites,
  tftp,
  memcachedUdp,
  ntp,
  radius,
  mdns,
  ...udpExposed,
  ipmi,
  ike,
  rsync,
  subversion,
  gitDaemon,
  ftpFiles,
  ftpUpload,
  webUpload,
  webUploadForm,
  webDav,
  directoryListing,
  folderFiles,
  confidentialFiles,
  webScriptSecrets,
  webAdministration,
  webPages,
  webApi,
  webGoDebug,
  webGraphql,
  webParameters,
  webBodies,
  webFolders,
  webPathParameter,
  webNegotiation,
  webInternalAddress,
  webAccessBypass,
  webApiSecrets,
  webOpenId,
  webOauthRedirect,
  webPersonalData,
  webRecordPages,
  webPeoplePages,
  webRedirectContent,
  webApiCors,
  webForwardedHost,
  webCache,
  webGraphqlRecords,
  webMethodBypass,
  gitOverHttp,
  subversionOverHttp,
  webTerminal,
  homekit,
  webBayeux,
  mcp,
  grpc,
  grpcApis,
  webTokens,
  webSockets,
  webXml,
  webXmlStored,
  // A CONNECT request crashes some programs.
  httpProxy,
  socksProxy,
  rpcbind,
  nfsVersion4,
  turn,
  nrpe,
  xpra,
  spice,
  xymon,
  tlsOfService,
  upgradedTls,
  tlsWeak,
  tlsFlaws,
  tlsRobot,
  lmtp,
  mailPasswords,
]
