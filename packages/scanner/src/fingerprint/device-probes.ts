/* oxlint-disable no-control-regex -- binary protocols are made of control characters */
/** Probes for daemons of sound, scanners, radios, sensors, and development tools, and for legacy services. */
import { pulseAudioAuth } from '#fingerprint/data-queries.ts'
import type { Probe } from '#fingerprint/probe.ts'
import { nrpeVersionQuery } from '#native/nrpe.ts'
import { bytes, hex } from '#wire.ts'

export const deviceProbes: readonly Probe[] = [
  {
    // "Send queue state, long" (RFC 1179, section 5.4). LPRng lists the queues, and BSD's lpd has no queue of that name.
    protocol: 'lpd',
    ports: [515],
    request: bytes('\x04all\n'),
    responsePattern:
      /^(?:Printer: \S|\x01?no connect permissions|no entries\b|Rank {1,20}Owner\b|Your host does not have line printer access|[^\r\n]{0,80}\bunknown printer\b)/i,
    field: 'protocol.software',
    read: (response) => (/^(?:Printer: \S{1,80}@|\x01?no connect permissions)/.test(response) ? 'LPRng' : 'LPD'),
    isOwnPortsOnly: true,
  },
  {
    protocol: 'pulseaudio',
    ports: [4713],
    request: pulseAudioAuth,
    responsePattern: /^\x00\x00\x00[\s\S]\xff\xff\xff\xff\x00{12}L\x00\x00\x00[\x00\x02]L\x00\x00\x00\x00L/,
    field: 'pulseaudio.auth',
    read: () => 'PulseAudio',
    isBinary: true,
  },
  {
    protocol: 'pulseaudio-cli',
    ports: [4712],
    request: bytes('stat\n'),
    responsePattern: /^Memory blocks currently allocated: \d/,
    field: 'pulseaudio.cli',
  },
  {
    // HANDLE_GETROOT; the reply is a reference to the service, with the name of its class.
    protocol: 'rpyc',
    ports: [18812],
    request: hex('00000008 00 12515111531152020a'),
    responsePattern: /^\x00\x00\x00[\s\S]\x00\x12[\x51-\x53]\x51\x11\x54\x12[\s\S]{3}[\w.]{3,100}/,
    field: 'rpyc.root',
    read: (response) => /[A-Za-z_][\w.]{2,100}/.exec(response.slice(14))?.[0] ?? 'RPyC',
    isBinary: true,
  },
  {
    protocol: 'openocd',
    ports: [6666],
    request: bytes('version\x1a'),
    responsePattern: /^Open On-Chip Debugger \d[^\x1a]{0,80}\x1a/,
    field: 'openocd.version',
  },
  {
    // The state of the rig controller of Hamlib. It contains the version after chk_vfo.
    protocol: 'rigctl',
    ports: [4532],
    request: bytes('\\chk_vfo\n\\dump_state\n'),
    responsePattern: /^(?:CHKVFO )?\d\n\d{1,2}\n\d{1,6}\n\d{1,2}\n\d+\.0{6} \d+\.0{6} 0x/,
    field: 'hamlib.state',
    read: (response) => /rigctld_version=[^\n]{1,80}/.exec(response)?.[0] ?? 'rigctld',
  },
  {
    // SANE_NET_INIT, version 1.0.3 (SANE standard, section 5.2).
    protocol: 'sane',
    ports: [6566],
    request: hex('00000000 01000003 00000007 676c6163697300'),
    responsePattern: /^\x00\x00\x00[\x00\x0b]\x01[\s\S]\x00[\x02-\x04]$/,
    field: 'sane.init',
    read: () => 'SANE network protocol',
    isBinary: true,
  },
  {
    // Reads the version of the 1-Wire server.
    protocol: 'owserver',
    ports: [4304],
    request: Buffer.concat([
      hex('00000000 0000001e 00000002 00000004 00001000 00000000'),
      bytes('/system/configuration/version\0'),
    ]),
    responsePattern: /^\x00\x00\x00\x00\x00\x00\x00[\x00-\x20][\x00\xff]{3}[\s\S]\x00\x00[\s\S]{6}\x00\x00[\s\S]{2}/,
    field: 'owserver.version',
    read: (response) => response.slice(24).replaceAll('\0', ''),
    isBinary: true,
  },
  {
    protocol: 'lirc',
    ports: [8765],
    request: bytes('VERSION\n'),
    responsePattern: /^BEGIN\nVERSION\nSUCCESS\nDATA\n1\n\d/,
    field: 'lirc.version',
  },
  {
    protocol: 'boinc',
    ports: [31416],
    request: bytes(
      '<boinc_gui_rpc_request>\n<exchange_versions>\n<major>7</major>\n<minor>20</minor>\n<release>0</release>\n</exchange_versions>\n</boinc_gui_rpc_request>\n\x03',
    ),
    responsePattern: /^<boinc_gui_rpc_reply>/,
    field: 'boinc.version',
    read: (response) =>
      ['major', 'minor', 'release']
        .map((part) => new RegExp(`<${part}>(\\d{1,6})</${part}>`).exec(response)?.[1] ?? '')
        .filter(Boolean)
        .join('.') || 'unauthorized',
  },
  {
    protocol: 'gkrellmd',
    ports: [19150],
    request: bytes('gkrellm 2.3.0\n'),
    responsePattern: /^<gkrellmd_setup>\n|^Connection not allowed from|gkrellmd/,
    field: 'gkrellmd.version',
    read: (response) => /gkrellmd \d[\w.]{0,40}/.exec(response)?.[0] ?? 'gkrellmd',
  },
  {
    // OPTIONS of the sample service that most servers have (RFC 3507, section 4.10).
    protocol: 'icap',
    ports: [1344],
    request: bytes('OPTIONS icap://glacis.invalid/echo ICAP/1.0\r\nHost: glacis.invalid\r\n\r\n'),
    responsePattern: /^ICAP\/1\.0 \d{3}/,
    field: 'icap.options',
  },
  {
    // RFC 1413. The port pair of a connection that doesn't exist.
    protocol: 'ident',
    ports: [113],
    request: bytes('1, 1\r\n'),
    responsePattern: /^\s*1\s*,\s*1\s*:\s*(?:ERROR|USERID)\s*:/,
    field: '',
  },
  {
    // The root menu (RFC 1436).
    protocol: 'gopher',
    ports: [70],
    request: bytes('\r\n'),
    responsePattern: /^[0-9gIThis][^\t\r\n]{0,200}\t[^\t\r\n]{0,200}\t[^\t\r\n]{1,200}\t\d{1,5}\r?\n/,
    field: 'gopher.menu',
  },
  {
    protocol: 'bzr',
    ports: [4155],
    request: bytes('hello\n'),
    responsePattern: /^ok\x01\d\n$/,
    field: 'bzr.hello',
    read: () => 'Bazaar smart server',
  },
  {
    // Verifies the anonymous account on a repository that doesn't exist.
    protocol: 'cvspserver',
    ports: [2401],
    request: bytes('BEGIN VERIFICATION REQUEST\n/glacis-no-such-repository\nanonymous\nA\nEND VERIFICATION REQUEST\n'),
    responsePattern: /^(?:error \d{0,5} ?[^\n]{0,100}no such repository|I (?:HATE|LOVE) YOU\n|cvs \[?pserver)/,
    field: 'cvs.reply',
  },
  {
    protocol: 'liquidsoap',
    ports: [1234, 1212],
    request: bytes('version\r\n'),
    responsePattern: /^Liquidsoap \d[^\n]{0,80}\nEND/,
    field: 'liquidsoap.version',
  },
  {
    // Start-Control-Connection-Request (RFC 2637, section 2.1).
    protocol: 'pptp',
    ports: [1723],
    request: Buffer.concat([
      hex('009c 0001 1a2b3c4d 0001 0000 0100 0000 00000001 00000001 ffff 0001'),
      Buffer.alloc(128),
    ]),
    responsePattern: /^\x00\x9c\x00\x01\x1a\x2b\x3c\x4d\x00\x02/,
    field: 'pptp.vendor',
    read: (response) => [response.slice(92, 156), response.slice(28, 92)].join(' ').replaceAll('\0', '').trim(),
    isBinary: true,
  },
  {
    // SUP of Advanced Direct Connect, section 6.3.1.
    protocol: 'adc',
    ports: [1511, 411],
    request: bytes('HSUP ADBASE ADTIGR\n'),
    responsePattern: /^ISUP AD\w{4}/,
    field: 'adc.info',
  },
  {
    // SAM of I2P, version 3.
    protocol: 'i2p-sam',
    ports: [7656],
    request: bytes('HELLO VERSION\n'),
    responsePattern: /^HELLO REPLY RESULT=\w+/,
    field: '',
  },
  {
    // NRPE, version 2, without TLS.
    protocol: 'nrpe',
    ports: [5666],
    tlsPorts: [5666],
    request: nrpeVersionQuery(),
    responsePattern: /^\x00[\x02-\x04]\x00\x02[\s\S]{4}\x00[\x00-\x03]/,
    field: 'nrpe.version',
    read: (response) => /NRPE v\d[\w.-]{0,30}/.exec(response)?.[0] ?? 'NRPE',
    isBinary: true,
  },
]
