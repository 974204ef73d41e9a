import { bracketed } from '#ip.ts'
import { checkInfo, type NativeCheck } from '#native/native-check.ts'
import { readServer } from '#native/opcua-wire.ts'

const anonymous = checkInfo({
  id: 'opcua-open',
  name: 'OPC UA server accepts anonymous clients without encryption',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:L/A:N',
  score: 8.2,
  summary:
    "The OPC UA server activated a session with the security policy None for a client without credentials. The check read the server's description.",
  impact:
    'An attacker can read process values, change those that the server does not protect, and call its methods. An attacker on the network path can read and manipulate sessions.',
  remediation:
    'Remove the security policy `None` and the anonymous identity token from the endpoints, and require certificates or passwords.',
  reference: 'https://reference.opcfoundation.org/Core/Part2/v105/docs/',
  tags: 'misconfig opcua ics iot unauth network',
  verifiedOn: 'node-opcua opcua',
})

export const opcua: NativeCheck = {
  checks: [anonymous],
  appliesTo: ({ protocol }) => protocol === 'opcua',
  async run({ withConnection, address, port }) {
    const url = `opc.tcp://${bracketed(address)}:${port}/`
    const server = await withConnection((connection) => readServer(connection, url))
    if (!server) return {}
    const { productUri, applicationName, build } = server
    const answer = ['ActivateSession: Good', applicationName, productUri, ...build].filter(Boolean).join('\n')
    const request = 'CreateSession, ActivateSession with an AnonymousIdentityToken, security policy None'
    return { [anonymous.id]: server.isActivated ? { request, answer, highlights: ['ActivateSession: Good'] } : null }
  },
}
