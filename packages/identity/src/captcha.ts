/**
 * Proof that a person sends a form, as Cloudflare Turnstile and those who speak like it give it: the
 * page gets a token from the challenge, and we ask the challenge's owner whether it is a good one.
 */
import { z } from 'zod'
import { saveFlow } from '#flow/flow.ts'
import type { Flow } from '#store.ts'
import { type Fields, isFields, textOf } from '#http/body.ts'
import type { Exchange } from '#service.ts'
import type { CaptchaOptions } from '#options.ts'
import { label } from '#ui/message.ts'
import type { Node } from '#ui/node.ts'

const waitMs = 5000
const tokenLengthMax = 2048
const answerLengthMax = 64 * 1024
const field = 'captcha_turnstile_response'

/** The place of the challenge on a form; none where there is no challenge. */
export function captchaNodes(captcha: CaptchaOptions | undefined): Node[] {
  if (!captcha) return []
  const data = { sitekey: captcha.siteKey, response_field: `transient_payload.${field}` }
  const attributes = { class: 'cf-turnstile', id: 'captcha', data, node_type: 'div' } as const
  return [{ type: 'div', group: 'captcha', attributes, messages: [], meta: { label: label.captcha } }]
}

/**
 * True when a submit may go on: there is no challenge, it was passed, or it was passed earlier in the
 * same flow, for a token works once and a form may be sent several times. Where the challenge's owner
 * cannot be asked, nobody may: an attacker could otherwise wait for that.
 */
export async function isHuman(exchange: Exchange, flow: Flow, fields: Fields): Promise<{ flow: Flow } | null> {
  const { captcha } = exchange.service
  if (!captcha || flow.memory.isHuman) return { flow }
  const payload = fields['transient_payload']
  const token = isFields(payload) ? textOf(payload, field) : ''
  if (!token || token.length > tokenLengthMax) return null
  if (!(await verify(exchange, captcha, token))) return null
  return { flow: await saveFlow(exchange.service, flow, { memory: { ...flow.memory, isHuman: true } }) }
}

const Verdict = z.object({ success: z.boolean() })

async function verify({ service, client }: Exchange, captcha: CaptchaOptions, token: string): Promise<boolean> {
  try {
    const answer = await fetch(captcha.verifyUrl, {
      method: 'POST',
      redirect: 'error',
      body: new URLSearchParams({ secret: captcha.secret, response: token, remoteip: client.ip }),
      signal: AbortSignal.timeout(waitMs),
    })
    return Verdict.parse(JSON.parse(await textOfAnswer(answer))).success
  } catch (cause) {
    service.log.warn({ err: cause }, 'captcha could not be verified')
    return false
  }
}

async function textOfAnswer({ body }: Response): Promise<string> {
  let text = ''
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk
    if (text.length > answerLengthMax) throw new Error('The answer about a captcha is too long')
  }
  return text
}
