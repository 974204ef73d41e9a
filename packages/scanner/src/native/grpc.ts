/** Server reflection of gRPC. */
import { listedServices, reflectionRequest } from '#native/grpc-wire.ts'
import { checkInfo } from '#native/native-check.ts'
import type { NativeCheck } from '#native/native-check.ts'

const reflection = checkInfo({
  id: 'grpc-reflection-exposed',
  name: 'gRPC server reflection enabled',
  severity: 'low',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:L/I:N/A:N',
  score: 3.7,
  summary: 'The gRPC server lists its services to unauthenticated clients through server reflection.',
  impact:
    'An attacker learns all services, methods, and messages of the API, and can call them with generic tools such as grpcurl.',
  remediation:
    'Do not register the reflection service in production (`reflection.Register` in Go), or require authentication for it, and restrict the port to the clients of the API.',
  reference: 'https://grpc.io/docs/guides/reflection/',
  tags: 'exposure grpc network',
})
const readOptions = { firstByteMs: 2000, idleMs: 500, bytesMax: 65_536 }

export const grpc: NativeCheck = {
  checks: [reflection],
  appliesTo: ({ protocol }) => protocol === 'grpc',
  async run(context) {
    const received = await context.exchange(reflectionRequest, readOptions)
    if (!received || received.length === 0) return {}
    const services = listedServices(received)
    if (services.length === 0) return { [reflection.id]: null }
    const answer = services.join('\n')
    const request = 'grpc.reflection.v1.ServerReflection/ServerReflectionInfo list_services: "*"'
    return { [reflection.id]: { request, answer, highlights: services.slice(0, 1) } }
  },
}
