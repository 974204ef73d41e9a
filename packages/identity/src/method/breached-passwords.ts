/**
 * Breached-password check with k-anonymity: only the first five hex digits of the SHA-1 are sent (Pwned Passwords range
 * search, haveibeenpwned.com/API/v3).
 */
import { createHash } from 'node:crypto'
import type { Service } from '#service.ts'
import type { Message } from '#ui/message.ts'
import { errorMessage } from '#ui/error-message.ts'

const timeoutMs = 3000
const prefixLength = 5
const responseLengthMax = 1024 * 1024

/**
 * Returns an error for a breached password. Returns null if the check is disabled or fails: a network failure must not
 * prevent users from choosing a password.
 */
export async function breachedPasswordError(
  { breachCheckUrl, log }: Service,
  password: string,
): Promise<Message | null> {
  if (!breachCheckUrl) return null
  const digest = createHash('sha1').update(password).digest('hex').toUpperCase()
  try {
    const response = await fetch(`${breachCheckUrl}${digest.slice(0, prefixLength)}`, {
      redirect: 'error',
      headers: { 'Add-Padding': 'true' },
      signal: AbortSignal.timeout(timeoutMs),
    })
    const breaches = response.ok ? findCount(await readBounded(response), digest.slice(prefixLength)) : 0
    return breaches > 0 ? errorMessage.passwordBreached(breaches) : null
  } catch (cause) {
    log.warn({ err: cause }, 'breached-password check failed')
    return null
  }
}

/** The response has lines of the form `suffix:count`. Padding entries have the count 0. */
function findCount(lines: string, suffix: string): number {
  const line = lines.split(/\r?\n/).find((entry) => entry.toUpperCase().startsWith(`${suffix}:`))
  return Number(line?.split(':')[1] ?? 0) || 0
}

async function readBounded({ body }: Response): Promise<string> {
  let text = ''
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk
    if (text.length > responseLengthMax) throw new Error('The breached-password response is too large')
  }
  return text
}
