/**
 * Content negotiation. As in Kratos, submissions and errors consider the Accept and Content-Type headers (`wantsJson`),
 * while flow initialization considers only Accept (`acceptsJson`).
 */

interface Preference {
  readonly value: string
  readonly quality: number
}

/** True if the client prefers JSON or sent a JSON body. */
export function wantsJson(accept: string | undefined, contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true
  return preferred(accept, ['text/html', 'text/*', '*/*', 'application/json']) === 'application/json'
}

/** True if Accept prefers JSON to HTML. Without the header, or with a bare wildcard, HTML is preferred. */
export function acceptsJson(accept: string | undefined): boolean {
  return preferred(accept, ['text/html', 'application/json']) === 'application/json'
}

/** Selects the best offer by quality, then by specificity, then by order. */
function preferred(accept: string | undefined, offers: readonly string[]): string {
  const preferences = parse(accept ?? '')
  let best = offers[0] ?? ''
  let bestQuality = -1
  let bestRank = 3
  for (const offer of offers) {
    for (const { value, quality } of preferences) {
      const rank = wildcardRank(value, offer)
      if (rank === null || quality === 0 || quality < bestQuality) continue
      if (quality > bestQuality || rank < bestRank) {
        best = offer
        bestQuality = quality
        bestRank = rank
      }
    }
  }
  return best
}

function wildcardRank(value: string, offer: string): number | null {
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
