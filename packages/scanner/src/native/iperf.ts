/** Servers of the bandwidth test iPerf3. */
import { setTimeout } from 'node:timers/promises'
import { checkInfo, type NativeCheck, type NativeContext } from '#native/native-check.ts'
import { bytes } from '#wire.ts'

const open = checkInfo({
  id: 'iperf3-open',
  name: 'iPerf3 server exposed without authentication',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:L',
  score: 5.3,
  summary:
    'An iPerf3 server accepts bandwidth tests from any client. The check negotiated parameters and transferred no data.',
  impact: 'An attacker can saturate the network link, and keep the server busy so that others cannot use it.',
  remediation:
    'Stop the server after the measurement. Otherwise, require credentials with `--authorized-users-path` and `--rsa-private-key-path`, or limit TCP and UDP port 5201 to trusted clients.',
  reference: 'https://software.es.net/iperf/invoking.html',
  tags: 'misconfig iperf unauth network',
  verifiedOn: 'iperf3',
})
const cookie = `${'glacis'.repeat(6)}\0`
const parameters = '{"tcp":true,"omit":0,"time":1,"parallel":1,"len":131072}'
/** States of the protocol: the server asks for parameters, and then for the streams of the test. */
const paramExchange = '\x09'
const createStreams = '\x0a'
/** The server closes its port for a moment after each client. */
const attemptsMax = 4
const pauseMs = 400

export const iperf: NativeCheck = {
  checks: [open],
  appliesTo: ({ protocol, tls }) => protocol === 'iperf3' && !tls,
  async run(context) {
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      await setTimeout(attempt === 0 ? 0 : pauseMs, undefined, { signal: context.signal })
      const state = await stateAfterParameters(context)
      if (state === undefined) continue
      const proof = { request: `cookie, ${parameters}`, answer: 'PARAM_EXCHANGE, CREATE_STREAMS', highlights: [] }
      return { [open.id]: state === createStreams ? proof : null }
    }
    return {}
  },
}

/** Undefined if the server did not ask for parameters. */
async function stateAfterParameters(context: NativeContext): Promise<string | undefined> {
  return context.withConnection(async (connection) => {
    const read = async () =>
      (
        await connection.read({ firstByteMs: 2500, idleMs: 100, bytesMax: 16, enough: (all) => all.length > 0 })
      ).toString('latin1')
    connection.write(cookie)
    if ((await read()) !== paramExchange) return undefined
    const length = Buffer.alloc(4)
    length.writeUInt32BE(parameters.length)
    connection.write(Buffer.concat([length, bytes(parameters)]))
    return read()
  })
}
