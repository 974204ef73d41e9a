/** Redirects that name the server's internal address to a client that doesn't state a host. */
import { isPublicAddress, parseIp } from '#ip.ts'
import { checkInfo, type NativeCheck } from '#native/native-check.ts'
import { folderOf, requestWeb } from '#native/web/request.ts'
import { isCompleteResponse, parseResponse } from '#net/raw-http.ts'

const addressDisclosed = checkInfo({
  id: 'http-internal-address',
  name: 'Internal IP address disclosed in a redirect',
  severity: 'low',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:L/I:N/A:N',
  score: 3.7,
  summary: 'In response to an HTTP/1.0 request without a Host header, the server redirects to its internal IP address.',
  impact: 'An attacker learns addresses of the internal network, and can use them to attack other systems.',
  remediation:
    'Use relative redirects (`absolute_redirect off` in nginx), or configure a public server name (`ServerName` and `UseCanonicalName On` in Apache, `alternateHostName` in IIS).',
  reference: 'https://nvd.nist.gov/vuln/detail/CVE-2000-0649',
  tags: 'misconfig disclosure http',
  verifiedOn: 'nginx-internal-address',
})

const hostPattern = /^https?:\/\/(?:\[([\da-f:.]{2,45})\]|([\d.]{7,15}))(?=[:/]|$)/i
const isRedirect = (status: number) => status >= 300 && status < 400

export const webInternalAddress: NativeCheck = {
  checks: [addressDisclosed],
  appliesTo: ({ protocol }) => protocol === 'http',
  async run(context) {
    const target = folderOf(context.basePath)
    const page = await requestWeb(context, { target })
    if (!page) return {}
    if (!isRedirect(page.status)) return { [addressDisclosed.id]: null }
    const request = `GET ${target} HTTP/1.0\r\n\r\n`
    const received = await context.exchange(request, { enough: isCompleteResponse })
    const response = received && parseResponse(received)
    if (!received || !response) return {}
    const location = response.headers.find(([name]) => name.toLowerCase() === 'location')?.[1] ?? ''
    const [, six, host = six] = hostPattern.exec(location) ?? []
    const isInternal =
      isRedirect(response.status) && host !== undefined && parseIp(host) !== null && !isPublicAddress(host)
    if (!isInternal || host === context.address) return { [addressDisclosed.id]: null }
    const answer = received.toString('latin1').slice(0, 4000)
    return { [addressDisclosed.id]: { request, answer, highlights: [location], path: target } }
  },
}
