/** Buttons that run a script of the service, and the helper they wait for. */
import type { InputNode } from '@glacis/contract/identity'

export const helperPollMs = 100
export const helperTriesMax = 20

/** The globals of the service's WebAuthn script, of which the portal knows two kinds only. */
function globalValue(name: string): unknown {
  return (globalThis as Record<string, unknown>)[name]
}

/** Releases of the service differ in how the helper announces itself. */
const helperFlags = ['oryWebAuthnInitialized', '__oryWebAuthnInitialized'] as const

/**
 * Resolves when the WebAuthn helper of the service has announced itself.
 *
 * @throws when it has not after more than 20 looks, 100 ms apart.
 */
export async function webauthnReady(): Promise<void> {
  for (let tries = 0; !helperFlags.some((flag) => globalValue(flag) === true); tries++) {
    if (tries >= helperTriesMax) throw new Error('too many retries while waiting for webauthn to initialize')
    await new Promise((resolve) => setTimeout(resolve, helperPollMs))
  }
}

/** True for nodes whose script needs the WebAuthn helper. */
function needsHelper({ group }: Pick<InputNode, 'group'>): boolean {
  return group === 'webauthn' || group === 'passkey'
}

/** Runs what a button carries: the function it names, else its script. */
export async function runClick({ group, attributes }: InputNode): Promise<void> {
  if (needsHelper({ group })) await webauthnReady()
  run(attributes.onclickTrigger, attributes.onclick, attributes.value)
}

/** Runs what an input carries for the moment it appears. */
export async function runLoad({ group, attributes }: InputNode): Promise<void> {
  if (needsHelper({ group })) await webauthnReady()
  run(attributes.onloadTrigger, attributes.onload, attributes.value)
}

/** A named function works under a strict content security policy, a script only where the policy allows it. */
function run(trigger: string | undefined, script: string | undefined, value: InputNode['attributes']['value']): void {
  const named = trigger ? globalValue(trigger) : undefined
  if (typeof named === 'function') {
    Reflect.apply(named, globalThis, argumentsOf(value))
    return
  }
  if (!script) return
  const call = /^(?:window\.)?([\w$]+)\(([^]*)\);?$/.exec(script.trim())
  const known = call?.[1] ? globalValue(call[1]) : undefined
  const given = argumentsOf(call?.[2])
  if (typeof known === 'function' && (given.length > 0 || !call?.[2])) {
    Reflect.apply(known, globalThis, given)
    return
  }
  // The service is trusted with the page's sign-in; this is its documented way for older clients.
  // oxlint-disable-next-line no-new-func, typescript/no-implied-eval
  new Function(script)()
}

/** The argument of a helper is the node's value, as JSON. */
function argumentsOf(value: unknown): unknown[] {
  if (typeof value !== 'string' || value.trim() === '') return []
  try {
    return [JSON.parse(value)]
  } catch {
    return []
  }
}
