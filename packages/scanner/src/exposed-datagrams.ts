/** UDP services that answer the question of their own protocol: legacy, local-link, industrial. */
import type { FingerprintText } from '#fingerprint/fingerprint-text.ts'
import { bacnetRead, coapDiscovery, netbiosStatus, rmcpPing, ssdpSearch, xdmcpQuery } from '#native/udp-exposed.ts'
import { bytes, hex } from '#native/native-check.ts'

interface ExposedDatagramProbe {
  readonly protocol: string
  readonly ports: readonly number[]
  readonly requests: readonly Uint8Array[]
  readonly fromAnyPort?: boolean
  isAnswer(answer: Buffer): boolean
  traces?(answer: Buffer): readonly FingerprintText[]
}

export const exposedDatagramProbes: readonly ExposedDatagramProbe[] = [
  {
    protocol: 'echo',
    ports: [7],
    requests: [bytes('glacis-echo')],
    isAnswer: (response) => response.toString('latin1') === 'glacis-echo',
  },
  {
    protocol: 'chargen',
    ports: [19],
    requests: [hex('0a')],
    isAnswer: (response) => /[!-Z]{20}/.test(response.toString('latin1')),
  },
  {
    protocol: 'ssdp',
    ports: [1900],
    requests: [ssdpSearch],
    fromAnyPort: true,
    isAnswer: (response) => response.toString('latin1', 0, 20).startsWith('HTTP/1.1 200 OK'),
    traces: (response) => {
      const [, text] = /^server:\s{0,100}([^\r\n]{1,200})/im.exec(response.toString('latin1')) ?? []
      return text === undefined ? [] : [{ field: 'ssdp_header.server', text }]
    },
  },
  {
    protocol: 'coap',
    ports: [5683],
    requests: [coapDiscovery],
    isAnswer: (response) => ((response[0] ?? 0) & 0xf0) === 0x60 && response[2] === 0x47 && response[3] === 0x43,
  },
  {
    protocol: 'bacnet',
    ports: [47808],
    requests: [bacnetRead],
    isAnswer: (response) => response[0] === 0x81 && response.length > 8,
  },
  {
    protocol: 'ipmi',
    ports: [623],
    requests: [rmcpPing],
    isAnswer: (response) => response[0] === 6 && response[8] === 0x40,
  },
  {
    protocol: 'netbios-ns',
    ports: [137],
    requests: [netbiosStatus],
    isAnswer: (response) => response[0] === 0x47 && response[1] === 0x43 && ((response[2] ?? 0) & 0x80) !== 0,
  },
  {
    protocol: 'xdmcp',
    ports: [177],
    requests: [xdmcpQuery],
    isAnswer: (response) => response.length >= 4 && response[0] === 0 && response[1] === 1,
  },
]
