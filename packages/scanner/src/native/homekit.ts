/** Accessory servers of HomeKit that accept requests without pairing. */
import { checkInfo, type NativeCheck } from '#native/native-check.ts'
import { requestWeb, webProof } from '#native/web/request.ts'

const insecureMode = checkInfo({
  id: 'homekit-insecure-mode',
  name: 'HomeKit accessories exposed without authentication',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:H/A:N',
  score: 8.2,
  summary:
    'The HomeKit accessory server runs in insecure mode, in which it accepts unencrypted requests from unpaired clients. The check listed the accessories.',
  impact: 'An attacker can read the state of all accessories and control them, including locks and garage doors.',
  remediation: 'Start Homebridge without `-I` (`--insecure`), and allow only the local network to reach the port.',
  reference: 'https://github.com/homebridge/homebridge/wiki',
  tags: 'misconfig homekit homebridge iot unauth',
  verifiedOn: 'homebridge',
})

/** Only requests the list from servers whose start page is an error in the format of the protocol. */
export const homekit: NativeCheck = {
  checks: [insecureMode],
  appliesTo: ({ protocol }) => protocol === 'http',
  async run(context) {
    const front = await requestWeb(context, { target: '/' })
    if (!front) return {}
    if (!isHomeKit(front.headers)) return { [insecureMode.id]: null }
    const list = await requestWeb(context, { target: '/accessories' })
    if (!list) return {}
    const [found] =
      list.status === 200 ? (/^\{"accessories":\[\{"aid":\d{1,20},"services":\[/.exec(list.body) ?? []) : []
    return { [insecureMode.id]: found === undefined ? null : { ...webProof(list, [found]), path: '/accessories' } }
  },
}

function isHomeKit(headers: readonly (readonly [string, string])[]): boolean {
  return headers.some(
    ([name, value]) => name.toLowerCase() === 'content-type' && value.startsWith('application/hap+json'),
  )
}
