/** Control ports over UDP without authentication: time servers, media proxies, and building automation. */
import { bytes, hex } from '#wire.ts'
import { checkInfo } from '#native/native-check.ts'
import type { CheckInfo } from '#native/types.ts'

/** A service for which a response to one request proves exposure. */
export interface DatagramExposure {
  readonly info: CheckInfo
  readonly protocol: string
  readonly question: Buffer | (() => Buffer)
  readonly request: string
  /** The response may come from another port. */
  readonly fromAnyPort?: boolean
  /** Timeout of the first attempt, in milliseconds; default 700. */
  readonly waitMs?: number
  /** The readable proof; undefined: not affected. */
  readonly proofOf: (response: Buffer) => string | undefined
}

/** REQ_TRACKING of chrony's command protocol, version 6, padded to the length of its reply. */
export const chronyTracking: Buffer = Buffer.concat([hex('06 01 00 00 0021 0000 474c4143'), Buffer.alloc(92)])
/** `ping` of rtpengine's ng protocol: a cookie and a bencoded dictionary. */
export const rtpenginePing: Buffer = bytes('glacis d7:command4:pinge')
/** DESCRIPTION_REQUEST of KNXnet/IP; the answer goes to the address it came from (KNX standard, 03_08_02). */
export const knxDescription: Buffer = hex('0610 0203 000e 08 01 00000000 0000')

const trackingSucceeded = 0
const stratumAt = 52

export const controlExposures: readonly DatagramExposure[] = [
  {
    info: checkInfo({
      id: 'chrony-command-open',
      name: 'chrony command port exposed without authentication',
      severity: 'medium',
      cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:N/A:N',
      score: 5.3,
      summary: 'The command port of chronyd responds to monitoring requests from the network without authentication.',
      impact: 'An attacker learns the time sources and the accuracy of the clock.',
      remediation: 'In chrony.conf, remove `cmdallow`, and set `bindcmdaddress 127.0.0.1` or `cmdport 0`.',
      reference: 'https://chrony-project.org/doc/4.3/chrony.conf.html',
      tags: 'misconfig chrony ntp disclosure unauth network udp',
      verifiedOn: 'chrony',
    }),
    protocol: 'chrony-command',
    question: chronyTracking,
    request: 'REQ_TRACKING',
    proofOf: (response) =>
      response.length >= stratumAt + 4 &&
      response.readUInt16BE(8) === trackingSucceeded &&
      response.readUInt16BE(6) === 5
        ? `RPY_TRACKING, stratum ${response.readUInt16BE(stratumAt)}`
        : undefined,
  },
  {
    info: checkInfo({
      id: 'rtpengine-open',
      name: 'rtpengine control port exposed without authentication',
      severity: 'critical',
      cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:L/A:H',
      score: 9.4,
      summary:
        'The control port of the media proxy rtpengine executes commands from any client. The check sent a ping.',
      impact: 'An attacker can list, redirect, and end calls and, if `recording-dir` is set, record them.',
      remediation:
        'Bind `listen-ng` to localhost (`listen-ng = 127.0.0.1:2223` in rtpengine.conf), or allow only the SIP proxy to reach the port.',
      reference: 'https://rtpengine.readthedocs.io/en/latest/ng_control_protocol.html',
      tags: 'misconfig rtpengine sip voip unauth network udp',
      verifiedOn: 'rtpengine',
    }),
    protocol: 'rtpengine',
    question: rtpenginePing,
    request: 'glacis d7:command4:pinge',
    proofOf: (response) => {
      const text = response.toString('latin1')
      return text.includes('6:result4:pong') ? text : undefined
    },
  },
  {
    info: checkInfo({
      id: 'knxnet-ip-exposed',
      name: 'KNXnet/IP device exposed without authentication',
      severity: 'critical',
      cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
      score: 9.8,
      summary:
        'A KNXnet/IP gateway responds to requests from the network. Without KNX Secure, the protocol has no authentication. The check only read the description.',
      impact: 'An attacker can read all telegrams on the KNX bus, and control lights, doors, and heating.',
      remediation:
        'Put the gateway in an isolated network segment, block UDP port 3671 at the network perimeter, or use KNX IP Secure.',
      reference: 'https://www.knx.org/knx-en/for-professionals/benefits/knx-secure/',
      tags: 'misconfig knx ics iot unauth network udp',
    }),
    protocol: 'knxnet-ip',
    question: knxDescription,
    request: 'DESCRIPTION_REQUEST',
    proofOf: (response) => {
      if (response.length < 60 || response[7] !== 1) return undefined
      const name = response.toString('latin1', 30, 60).replace(/\0.*$/s, '')
      return `DESCRIPTION_RESPONSE, device name: ${name}`
    },
  },
]
