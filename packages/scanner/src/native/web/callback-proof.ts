/** Proof that a server requested a URL of the callback server. */
import { setTimeout as delay } from 'node:timers/promises'
import type { NativeContext, Proof } from '#native/native-check.ts'
import { webProof, type WebResponse } from '#native/web/request.ts'

const callbackMs = 1500

/**
 * Sends a URL of the callback server and waits until it is requested.
 *
 * @returns null if it wasn't requested, or no callback server is set up
 */
export async function requestedCallback(
  { callbacks, signal }: Pick<NativeContext, 'callbacks' | 'signal'>,
  send: (url: string) => Promise<WebResponse | undefined>,
): Promise<Proof | null> {
  if (!callbacks) return null
  const { id, url } = callbacks.create()
  try {
    const response = await send(`http://${url}`)
    const until = performance.now() + callbackMs
    while (response && callbacks.interactions(id).length === 0 && performance.now() < until)
      await delay(50, undefined, { signal })
    const [interaction] = callbacks.interactions(id)
    return response && interaction ? { ...webProof(response, []), answer: interaction.request } : null
  } finally {
    callbacks.forget(id)
  }
}
