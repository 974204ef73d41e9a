/** Cameras and media servers that stream over RTSP (RFC 2326). */
import { bracketed } from '#ip.ts'
import { checkInfo, type NativeCheck, type NativeContext, type Proof } from '#native/native-check.ts'

const open = checkInfo({
  id: 'rtsp-open',
  name: 'RTSP stream exposed without authentication',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 7.5,
  summary:
    'The RTSP server describes a video or audio stream to any client. The check read the description and did not play the stream.',
  impact: 'An attacker can watch and record the streams of the camera or media server.',
  remediation:
    'Require authentication for RTSP in the settings of the camera or media server, or make it reachable only through a VPN.',
  reference: 'https://www.rfc-editor.org/rfc/rfc2326#section-10.2',
  tags: 'misconfig rtsp camera unauth network',
  verifiedOn: 'gst-rtsp-server',
})

// cspell:disable
/** Where common cameras and media servers stream. */
const paths = [
  '/',
  '/live',
  '/stream',
  '/stream1',
  '/test',
  '/video',
  '/live.sdp',
  '/h264',
  '/live/ch00_0',
  '/Streaming/Channels/101',
  '/cam/realmonitor?channel=1&subtype=0',
  '/axis-media/media.amp',
  '/onvif1',
  '/media/video1',
]
// cspell:enable

export const rtsp: NativeCheck = {
  checks: [open],
  appliesTo: ({ transport, protocol }) => transport === 'tcp' && protocol === 'rtsp',
  async run(context) {
    let isDecided = false
    for (const path of paths) {
      const result = await describe(context, path)
      // A server that doesn't respond once would delay the scan with every path.
      if (result === undefined) break
      isDecided = true
      // A server that requires authentication usually does so for every path.
      if (result === 'unauthorized') break
      if (result) return { [open.id]: result }
    }
    return isDecided ? { [open.id]: null } : {}
  },
}

/** @returns the proof; null if the path has no stream, undefined without a response */
async function describe(context: NativeContext, path: string): Promise<Proof | 'unauthorized' | null | undefined> {
  const request = `DESCRIBE rtsp://${bracketed(context.address)}:${context.port}${path} RTSP/1.0\r\nCSeq: 1\r\nAccept: application/sdp\r\n\r\n`
  const received = await context.exchange(request, { bytesMax: 8192 })
  const answer = received?.toString('latin1') ?? ''
  const [, status] = /^RTSP\/\d\.\d (\d{3})/.exec(answer) ?? []
  if (status === undefined) return undefined
  if (status === '401') return 'unauthorized'
  const [media] = /\nm=(?:video|audio) [^\r\n]{1,100}/.exec(answer) ?? []
  if (status !== '200' || media === undefined) return null
  return { request, answer, highlights: [media.trim()] }
}
