import { expect, it } from 'vitest'
import { compileFingerprints } from '#fingerprint/match.ts'
import { loadRecog } from '#fingerprint/recog.ts'
import { identifyTechnologies } from '#fingerprint/technology.ts'

const { files } = await loadRecog([new URL('../../../../packs/fingerprints', import.meta.url).pathname])
const fingerprints = compileFingerprints(files)
const namesIn = (traces: Parameters<typeof identifyTechnologies>[0]) =>
  identifyTechnologies(traces, { address: '127.0.0.1', port: 8000, transport: 'tcp' }, fingerprints).map(
    ({ wfn }) => `${wfn.product} ${wfn.version}`,
  )

it('does not take the version of JupyterHub for that of a server that it starts', () => {
  const hub = { field: 'http_header.x-jupyterhub-version', text: '6.1.1' }
  const version = (text: string) => ({ field: 'http.path:/api', text: `{"version": "${text}"}` })
  expect(namesIn([hub, version('6.1.1')])).toEqual(['jupyterhub 6.1.1'])
  expect(namesIn([hub, version('6.5.4')])).toEqual(['jupyterhub 6.1.1', 'notebook 6.5.4'])
  expect(namesIn([version('6.1.1')])).toEqual(['notebook 6.1.1'])
})

it.each([
  ['smtp.banner', 'mail.example.test MailSite ESMTP Receiver Version 9.4.0.3 Ready', ['mailsite 9.4.0.3']],
  ['smtp.banner', 'mail.example.test Acme ESMTP Receiver Version 9.4.0.3 Ready', []],
  [
    'smtp.banner',
    'win.example.test Microsoft ESMTP MAIL Service, Version: 10.0.20348.1 ready',
    ['internet_information_services *', 'windows *'],
  ],
  ['mysql.banners', '8.0.36-28', ['percona_server 8.0.36-28', 'mysql 8.0.36']],
  ['mysql.banners', '8.0.36-0ubuntu0.22.04.1', ['mysql 8.0.36']],
  ['mysql.banners', '5.7.25-TiDB-v7.5.0', ['tidb 7.5.0']],
  ['mysql.banners', '5.7.8-MariaDB-1:10.4.13', ['mariadb 10.4.13']],
  ['dns.versionbind', '9.9.5-rpz2+rl.14036.01-P1', ['bind 9.9.5']],
  [
    'snmp.sys_description',
    'Cisco Adaptive Security Appliance Version 9.12(4)37',
    ['adaptive_security_appliance_software 9.12.4.37'],
  ],
])('names %s %j', (field, text, names) => {
  expect(namesIn([{ field, text }])).toEqual(names)
})

it('names a program by the build information in its metrics, unless the name is generic', () => {
  const metrics = (name: string) => ({
    field: 'http.path:/metrics',
    text: `# TYPE ${name}_build info\n${name}_build_info{version="2.3.19.1",revision="9b53102964"} 1`,
  })
  expect(namesIn([metrics('dovecot')])).toEqual(['dovecot 2.3.19.1'])
  expect(namesIn([metrics('app')])).toEqual([])
})

it('prefers the name in the metrics to that of the file in the command line', () => {
  const commandLine = { field: 'http.path:/debug/vars', text: '{"cmdline": ["prometheus-ledger"]}' }
  const text = 'ledger_build_info{goversion="go1.24",revision="9b53102964",version="2.4.1"} 1'
  expect(namesIn([commandLine, { field: 'http.path:/metrics', text }])).toEqual(['ledger 2.4.1'])
  expect(namesIn([commandLine])).toEqual(['prometheus-ledger *'])
})
