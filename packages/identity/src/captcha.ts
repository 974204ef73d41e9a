/**
 * CAPTCHA with the protocol of Cloudflare Turnstile: the page gets a token from the challenge, and the server
 * verifies it with the CAPTCHA provider.
 */
import { z } from 'zod'
import { saveFlow } from '#flow/flow.ts'
import type { Flow } from '#store.ts'
import { type Fields, isFields, textOf } from '#http/body.ts'
import type { Exchange } from '#service.ts'
import type { CaptchaOptions } from '#options.ts'
import { label } from '#ui/message.ts'
import type { Node } from '#ui/node.ts'

const timeoutMs = 5000
const tokenLengthMax = 2048
const responseLengthMax = 64 * 1024
const tokenField = 'captcha_turnstile_response'

/** The form node for the challenge; none if no CAPTCHA is configured. */
export function captchaNodes(captcha: CaptchaOptions | undefined): Node[] {
  if (!captcha) return []
  const data = { sitekey: captcha.siteKey, response_field: `transient_payload.${tokenField}` }
  const attributes = { class: 'cf-turnstile', id: 'captcha', data, node_type: 'div' } as const
  return [{ type: 'div', group: 'captcha', attributes, messages: [], meta: { label: label.captcha } }]
}

/**
 * Verifies the CAPTCHA token of a submission. The flow remembers a passed challenge, because a token works once but a
 * form may be submitted several times. Fails closed when the provider can't be reached.
 *
 * @returns the updated flow, or null if verification failed
 */
export async function verifyCaptcha(exchange: Exchange, flow: Flow, fields: Fields): Promise<{ flow: Flow } | null> {
  const { captcha } = exchange.service
  if (!captcha || flow.memory.isHuman) return { flow }
  const payload = fields['transient_payload']
  const token = isFields(payload) ? textOf(payload, tokenField) : ''
  if (!token || token.length > tokenLengthMax) return null
  if (!(await verifyToken(exchange, captcha, token))) return null
  return { flow: await saveFlow(exchange.service, flow, { memory: { ...flow.memory, isHuman: true } }) }
}

const VerifyResponse = z.object({ success: z.boolean() })

async function verifyToken({ service, client }: Exchange, captcha: CaptchaOptions, token: string): Promise<boolean> {
  try {
    const response = await fetch(captcha.verifyUrl, {
      method: 'POST',
      redirect: 'error',
      body: new URLSearchParams({ secret: captcha.secret, response: token, remoteip: client.ip }),
      signal: AbortSignal.timeout(timeoutMs),
    })
    return VerifyResponse.parse(JSON.parse(await readBounded(response))).success
  } catch (cause) {
    service.log.warn({ err: cause }, 'captcha verification failed')
    return false
  }
}

async function readBounded({ body }: Response): Promise<string> {
  let text = ''
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk
    if (text.length > responseLengthMax) throw new Error('The CAPTCHA verification response is too large')
  }
  return text
}
