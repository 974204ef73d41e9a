/**
 * Looks passwords up among those of known breaches without telling anybody which: of the SHA-1 only the
 * first five digits leave the house (the range search of Pwned Passwords, haveibeenpwned.com/API/v3).
 */
import { createHash } from 'node:crypto'
import type { Service } from '#service.ts'
import type { Message } from '#ui/message.ts'
import { problem } from '#ui/problem.ts'

const waitMs = 3000
const prefixLength = 5
const answerLengthMax = 1024 * 1024

/**
 * Says that a password is known from breaches; null when it is not, when nobody is asked, and when the
 * answer does not come: a network that fails must not keep people from choosing a password.
 */
export async function breachFault({ breachCheckUrl, log }: Service, password: string): Promise<Message | null> {
  if (!breachCheckUrl) return null
  const digest = createHash('sha1').update(password).digest('hex').toUpperCase()
  try {
    const answer = await fetch(`${breachCheckUrl}${digest.slice(0, prefixLength)}`, {
      redirect: 'error',
      headers: { 'Add-Padding': 'true' },
      signal: AbortSignal.timeout(waitMs),
    })
    const breaches = answer.ok ? countIn(await boundedText(answer), digest.slice(prefixLength)) : 0
    return breaches > 0 ? problem.passwordBreached(breaches) : null
  } catch (cause) {
    log.warn({ err: cause }, 'a password could not be looked up among breached ones')
    return null
  }
}

/** The answer has one line for each suffix, with how often it was seen; padding was seen never. */
function countIn(lines: string, suffix: string): number {
  const line = lines.split(/\r?\n/).find((one) => one.toUpperCase().startsWith(`${suffix}:`))
  return Number(line?.split(':')[1] ?? 0) || 0
}

async function boundedText({ body }: Response): Promise<string> {
  let text = ''
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk
    if (text.length > answerLengthMax) throw new Error('The answer about breached passwords is too long')
  }
  return text
}
