/** Runs the WebAuthn functions that nodes refer to, once the service's script has loaded. */
import type { InputNode } from '@glacis/contract/identity'

export const webauthnPollMs = 100
export const maxWebauthnTries = 20

/** A global defined by the service's WebAuthn script. */
function globalValue(name: string): unknown {
  return (globalThis as Record<string, unknown>)[name]
}

/** Flags that the script sets when initialized. The name depends on its version. */
const helperFlags = ['oryWebAuthnInitialized', '__oryWebAuthnInitialized'] as const

/**
 * Resolves when the service's WebAuthn script is initialized.
 *
 * @throws after more than 20 attempts, 100 ms apart.
 */
export async function webauthnReady(): Promise<void> {
  for (let tries = 0; !helperFlags.some((flag) => globalValue(flag) === true); tries++) {
    if (tries >= maxWebauthnTries) throw new Error('too many retries while waiting for webauthn to initialize')
    await new Promise((resolve) => setTimeout(resolve, webauthnPollMs))
  }
}

/** True for nodes that need the WebAuthn script. */
function needsHelper({ group }: Pick<InputNode, 'group'>): boolean {
  return group === 'webauthn' || group === 'passkey'
}

/** Runs a button's click trigger. */
export async function runClick({ group, attributes }: InputNode): Promise<void> {
  if (needsHelper({ group })) await webauthnReady()
  run(attributes.onclickTrigger, attributes.onclick, attributes.value)
}

/** Runs an input's load trigger. */
export async function runLoad({ group, attributes }: InputNode): Promise<void> {
  if (needsHelper({ group })) await webauthnReady()
  run(attributes.onloadTrigger, attributes.onload, attributes.value)
}

/** Prefers a named function, which works under a strict content security policy, over inline script. */
function run(trigger: string | undefined, script: string | undefined, value: InputNode['attributes']['value']): void {
  const named = trigger ? globalValue(trigger) : undefined
  if (typeof named === 'function') {
    Reflect.apply(named, globalThis, argumentsOf(value))
    return
  }
  if (!script) return
  const call = /^(?:window\.)?([\w$]+)\(([^]*)\);?$/.exec(script.trim())
  const clickFunction = call?.[1] ? globalValue(call[1]) : undefined
  const args = argumentsOf(call?.[2])
  if (typeof clickFunction === 'function' && (args.length > 0 || !call?.[2])) {
    Reflect.apply(clickFunction, globalThis, args)
    return
  }
  // The service is trusted, and inline script is its documented interface for older clients.
  // oxlint-disable-next-line no-new-func, typescript/no-implied-eval
  new Function(script)()
}

/** The node's value, parsed as JSON, as the function's argument. */
function argumentsOf(value: unknown): unknown[] {
  if (typeof value !== 'string' || value.trim() === '') return []
  try {
    return [JSON.parse(value)]
  } catch {
    return []
  }
}
