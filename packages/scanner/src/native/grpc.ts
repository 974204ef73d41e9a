/** Server reflection of gRPC, and APIs that accept calls without authentication. */
import {
  answeredMethod,
  callsWithoutParameters,
  descriptionRequest,
  knownMethods,
  listedServices,
  readingMethods,
  reflectionRequest,
} from '#native/grpc-wire.ts'
import { checkInfo, type NativeCheck, type NativeContext, type Proof } from '#native/native-check.ts'

const reflection = checkInfo({
  id: 'grpc-reflection-exposed',
  name: 'gRPC server reflection enabled',
  severity: 'low',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:L/I:N/A:N',
  score: 3.7,
  summary: 'The gRPC server lists its services to unauthenticated clients through server reflection.',
  impact:
    'An attacker learns all services, methods, and messages of the API, and can use generic tools such as grpcurl to call them.',
  remediation:
    'Do not register the reflection service in production (`reflection.Register` in Go), or require authentication for it, and restrict the port to the clients of the API.',
  reference: 'https://grpc.io/docs/guides/reflection/',
  tags: 'exposure grpc network',
  verifiedOn: 'centrifugo headscale seaweedfs temporal xray',
})
const routingApi = checkInfo({
  id: 'gobgp-api-open',
  name: 'GoBGP API exposed without authentication',
  severity: 'critical',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:H/A:H',
  score: 9.4,
  summary:
    'The gRPC API of GoBGP accepts calls from the network without authentication. The check only read the global configuration.',
  impact: 'An attacker can add and withdraw routes, change peers, and stop the BGP server.',
  remediation:
    'Bind the API to localhost (`gobgpd --api-hosts 127.0.0.1:50051`), or require client certificates with `--tls` and `--tls-client-ca-file`.',
  reference: 'https://github.com/osrg/gobgp/blob/master/docs/sources/cli-command-syntax.md',
  tags: 'misconfig grpc gobgp bgp unauth network',
  verifiedOn: 'gobgpd',
})
export const openMethods = checkInfo({
  id: 'grpc-api-open',
  name: 'gRPC API exposed without authentication',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:N/A:N',
  score: 5.3,
  summary:
    'A gRPC method returns data to an unauthenticated call without parameters. The check used server reflection to find a method whose name suggests that it only reads.',
  impact: "An attacker can read the API's data, and often change it with other methods of the same service.",
  remediation:
    'Check authentication in an interceptor for all methods, or require client certificates (mutual TLS), and do not register the reflection service in production.',
  reference: 'https://grpc.io/docs/guides/auth/',
  tags: 'misconfig grpc api unauth network',
  verifiedOn: 'grpc-accounts temporal',
})
const servicesMax = 4
const methodsMax = 6
/** Services that every gRPC library offers. */
const standard = /^grpc\.(?:channelz|health|reflection)\./
const readOptions = { firstByteMs: 2000, idleMs: 500, bytesMax: 65_536 }

export const grpc: NativeCheck = {
  checks: [reflection, openMethods],
  appliesTo: ({ protocol }) => protocol === 'grpc',
  async run(context) {
    const received = await context.exchange(reflectionRequest, readOptions)
    if (!received || received.length === 0) return {}
    const services = listedServices(received)
    if (services.length === 0) return { [reflection.id]: null }
    const answer = services.join('\n')
    const request = 'grpc.reflection.v1.ServerReflection/ServerReflectionInfo list_services: "*"'
    return {
      [reflection.id]: { request, answer, highlights: services.slice(0, 1) },
      [openMethods.id]: await readByMethod(context, services),
    }
  },
}

async function readByMethod(context: NativeContext, services: readonly string[]): Promise<Proof | null> {
  const own = services.filter((name) => !standard.test(name) && name.length < 128).slice(0, servicesMax)
  const files = own.length > 0 ? await context.exchange(descriptionRequest(own), readOptions) : undefined
  const methods = files ? readingMethods(files).slice(0, methodsMax) : []
  const received = methods.length > 0 ? await context.exchange(callsWithoutParameters(methods), readOptions) : undefined
  const proof = received ? proofOf(received, methods) : null
  return proof && proof.highlights.length > 0 ? proof : null
}

/** The method that responded with a message, with the texts in it. */
function proofOf(received: Buffer, methods: readonly string[]): Proof | null {
  const answered = answeredMethod(received, methods)
  if (!answered) return null
  const texts = answered.message.toString('latin1').match(/[\x20-\x7e]{4,200}/g) ?? []
  const answer = `${answered.message.length} bytes: ${texts.join(', ')}`
  return { request: `gRPC ${answered.method}`, answer, highlights: texts.slice(0, 1) }
}

export const grpcApis: NativeCheck = {
  checks: [routingApi],
  appliesTo: ({ protocol }) => protocol === 'grpc',
  async run(context) {
    const received = await context.exchange(callsWithoutParameters(knownMethods), readOptions)
    if (!received || received.length === 0) return {}
    return { [routingApi.id]: proofOf(received, knownMethods) }
  },
}
