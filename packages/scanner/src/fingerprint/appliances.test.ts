/** Appliances that can't be installed in the lab, by their documented responses. */
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { compileFingerprints, type Fingerprints } from '#fingerprint/match.ts'
import { loadRecog } from '#fingerprint/recog.ts'
import { identifyTechnologies } from '#fingerprint/technology.ts'
import type { HttpResponse } from '#net/http-message.ts'
import { bodyTraces, headerTraces } from '#fingerprint/web-traces.ts'

let fingerprints: Fingerprints
beforeAll(async () => {
  const { files } = await loadRecog([join(import.meta.dirname, '../../../../packs/fingerprints')])
  fingerprints = compileFingerprints(files)
})

const page = { kind: 'response', status: 200, statusText: 'OK', truncated: false, durationMs: 1, request: '' } as const

function named(headers: readonly (readonly [string, string])[], body = ''): string[] {
  const response: HttpResponse = { ...page, headers, body: Buffer.from(body) }
  const traces = [...headerTraces(response), ...bodyTraces(response)]
  const found = identifyTechnologies(traces, { address: '127.0.0.1', port: 443, transport: 'tcp' }, fingerprints)
  return found.map(({ wfn }) => `${wfn.vendor}:${wfn.product} ${wfn.version}`).toSorted()
}

it.each([
  [
    'FortiGate',
    [['Server', 'xxxxxxxx-xxxxx']],
    '<script>top.location="/remote/login";</script>',
    ['fortinet:fortios *'],
  ],
  [
    'Cisco ASA',
    [
      ['Location', '/+CSCOE+/logon.html'],
      ['Set-Cookie', 'webvpn=; path=/; secure'],
    ],
    '',
    ['cisco:adaptive_security_appliance_software *'],
  ],
  [
    'NetScaler Gateway',
    [['Set-Cookie', 'NSC_TMAS=x; Path=/']],
    '<title>Citrix Gateway</title><span id="_ctxstxt_CitrixCopyright">',
    ['citrix:netscaler_gateway *'],
  ],
  [
    'Ivanti Connect Secure',
    [['Location', '/dana-na/auth/url_default/welcome.cgi']],
    '<title>Ivanti Connect Secure</title><link href="/dana-na/css/ds.css">',
    ['ivanti:connect_secure *'],
  ],
  [
    'Exchange',
    [['X-OWA-Version', '15.1.2507.27']],
    '<title>Outlook</title><link href="/owa/auth/15.1.2507/themes/resources/favicon.ico">',
    ['microsoft:exchange_server 15.1.2507.27'],
  ],
  [
    'Jira',
    [],
    '<title>System Dashboard - Example Jira</title><meta name="application-name" content="JIRA" data-name="jira" data-version="8.20.10"><meta name="ajs-version-number" content="8.20.10">',
    ['atlassian:jira_server 8.20.10'],
  ],
  [
    'Confluence',
    [['X-Confluence-Request-Time', '1700000000000']],
    '<title>Log In - Confluence</title><meta name="confluence-base-url" content="https://wiki.example.com"><meta name="ajs-version-number" content="7.19.16">',
    ['atlassian:confluence_server 7.19.16'],
  ],
  ['ESXi', [], '<title>" + ID_EESX_Welcome + "</title>', ['vmware:esxi *']],
  [
    'PAN-OS',
    [['Location', '/php/login.php']],
    '<title>Login</title><div id="PAN_FORM_CONTENT">',
    ['paloaltonetworks:pan-os *'],
  ],
  [
    'BIG-IP',
    [
      ['Set-Cookie', 'BIGipServerpool=1.2.0000; path=/'],
      ['Server', 'BigIP'],
    ],
    '',
    ['f5:big-ip_local_traffic_manager *'],
  ],
  [
    'Artifactory',
    [['X-JFrog-Version', 'Artifactory/7.41.7 74107900']],
    '<title>JFrog</title>',
    ['jfrog:artifactory 7.41.7'],
  ],
  [
    'SharePoint',
    [
      ['MicrosoftSharePointTeamServices', '16.0.0.10417'],
      ['Server', 'Microsoft-IIS/10.0'],
    ],
    '',
    ['microsoft:internet_information_services 10.0', 'microsoft:sharepoint_server *'],
  ],
  ['IceWarp', [['Server', 'IceWarp/11.4.5.0 RHEL7 x64']], '', ['icewarp:mail_server 11.4.5.0']],
  [
    'PRTG',
    [['Server', 'PRTG/21.2.68.1492']],
    '<title>Welcome | PRTG Network Monitor (MON1)</title>',
    ['paessler:prtg_network_monitor 21.2.68.1492'],
  ],
  [
    'iLO',
    [['Server', 'HP-iLO-Server/1.30']],
    '<title>iLO 4</title>',
    ['hp:integrated_lights-out_4_firmware *', 'hp:integrated_lights-out_firmware *'],
  ],
  [
    'Splunk',
    [['Server', 'Splunkd']],
    '<title>Login | Splunk</title><!-- Splunk Inc. --> {"versionNumber": "9.1.2"}',
    ['splunk:splunk 9.1.2'],
  ],
  ['Domino', [['Server', 'Lotus-Domino']], '', ['hcltech:domino *']],
  [
    'WebLogic',
    [],
    '<title>Oracle WebLogic Server Administration Console</title><p id="footerVersion">WebLogic Server Version: 12.2.1.4.0</p>',
    ['oracle:weblogic_server 12.2.1.4.0'],
  ],
  ['GoAnywhere', [], '<title>GoAnywhere 7.0.3 - prod</title>', ['fortra:goanywhere_managed_file_transfer 7.0.3']],
  ['CommuniGate Pro', [['Server', 'CommuniGatePro/5.2.20']], '', ['communigate:communigate_pro 5.2.20']],
  ['Kerio Connect', [['Server', 'Kerio Connect 8.2.2 patch 1']], '', ['gfi:kerio_connect 8.2.2']],
  [
    'SAP NetWeaver',
    [['Server', 'SAP NetWeaver Application Server 7.22 / AS Java 7.30']],
    '',
    ['sap:netweaver_application_server_java 7.30'],
  ],
  ['Cleo Harmony', [['Server', 'Cleo Harmony/5.8.0.21 (Linux)']], '', ['cleo:harmony 5.8.0.21']],
  [
    'ScreenConnect',
    [['Server', 'ScreenConnect/23.9.7.8804-4014331592 Microsoft-HTTPAPI/2.0']],
    '',
    ['connectwise:screenconnect 23.9.7.8804'],
  ],
  ['a page about an appliance', [], '<title>How to log in to FortiGate</title><p>BIG-IP, GlobalProtect Portal</p>', []],
  ['a shop', [['Location', '/login']], '<title>Welcome to our VPN 100 shop</title>', []],
] as const)('names %s', (_, headers, body, expected) => {
  expect(named(headers, body)).toEqual(expected)
})
