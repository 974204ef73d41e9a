/**
 * Which answer a client wants. Two rules are in use: submits and refusals look at the Accept header
 * and the Content-Type (`wantsJson`), a flow that was just made looks at Accept alone (`acceptsJson`).
 */

interface Preference {
  readonly value: string
  readonly quality: number
}

/** True for `Accept: application/json` (in any mix where it wins) or a JSON body. */
export function wantsJson(accept: string | undefined, contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true
  return preferred(accept, ['text/html', 'text/*', '*/*', 'application/json']) === 'application/json'
}

/** True when Accept prefers JSON to a page; no header and a bare wildcard mean a page. */
export function acceptsJson(accept: string | undefined): boolean {
  return preferred(accept, ['text/html', 'application/json']) === 'application/json'
}

/** The offer that fits best: higher quality first, then the exact name, then the order of the offers. */
function preferred(accept: string | undefined, offers: readonly string[]): string {
  const preferences = parse(accept ?? '')
  let best = offers[0] ?? ''
  let bestQuality = -1
  let bestWildness = 3
  for (const offer of offers) {
    for (const { value, quality } of preferences) {
      const wildness = wildnessOf(value, offer)
      if (wildness === null || quality === 0 || quality < bestQuality) continue
      if (quality > bestQuality || wildness < bestWildness) {
        best = offer
        bestQuality = quality
        bestWildness = wildness
      }
    }
  }
  return best
}

function wildnessOf(value: string, offer: string): number | null {
  if (value === '*/*') return 2
  if (value.endsWith('/*')) return offer.startsWith(value.slice(0, -1)) ? 1 : null
  return value === offer ? 0 : null
}

function parse(accept: string): Preference[] {
  return accept.split(',').flatMap((part) => {
    const [value, ...parameters] = part.split(';').map((text) => text.trim())
    if (!value) return []
    const quality = parameters.find((parameter) => parameter.startsWith('q='))
    const number = quality === undefined ? 1 : Number(quality.slice(2))
    return [{ value: value.toLowerCase(), quality: Number.isFinite(number) ? number : 0 }]
  })
}
