/** The sweep engines of this platform; the accelerated one must not fall back during tests. */
const hasAccelerator =
  process.platform === 'linux' &&
  ['x64', 'arm64'].includes(process.arch) &&
  process.allowedNodeEnvironmentFlags.has('--experimental-ffi')

export const engines = [
  { engine: 'sockets', isAccelerated: false },
  ...(hasAccelerator ? [{ engine: 'the C library', isAccelerated: true }] : []),
]

export function noFallback(reason: string): void {
  throw new Error(reason)
}
