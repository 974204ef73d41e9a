import type { Target } from '#target.ts'

/**
 * The address to display, with the ports if the target has its own: `192.0.2.1:8443`, `web.example (ports 80,443)`.
 * Names are in their Unicode form if the server considers it safe.
 */
export function targetAddress({
  address,
  readableAddress,
  ports,
}: Pick<Target, 'address' | 'readableAddress' | 'ports'>): string {
  const shown = readableAddress ?? address
  if (!ports) return shown
  if (!/^\d+$/.test(ports) || /\/|^[\d.]+-/.test(shown))
    return `${shown} (${/^\d+$/.test(ports) ? 'port' : 'ports'} ${ports})`
  return `${shown.includes(':') ? `[${shown}]` : shown}:${ports}`
}
