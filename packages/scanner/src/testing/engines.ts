/** The ways of sweeping that this platform has; the accelerated one must not fall back while it is tested. */
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
