/** The form of the settings: what each method offers to change, in the order of the wire. */
import { type Drawing, drawFor } from '#flow/draw.ts'
import { csrfPlace } from '#flow/flow.ts'
import type { Identity } from '#identities.ts'
import { traitNames } from '#schema.ts'
import type { Service } from '#service.ts'
import type { FlowMemory } from '#store.ts'
import { type Node, type Order, sorted } from '#ui/node.ts'

const order: Order = {
  groups: ['default', 'profile', 'password', 'oidc', 'lookup_secret', 'webauthn', 'passkey', 'totp'],
  names: [
    'csrf_token',
    ...traitNames,
    'lookup_secret_reveal',
    'lookup_secret_regenerate',
    'lookup_secret_codes',
    'lookup_secret_confirm',
    'webauthn_remove',
    'webauthn_register_displayname',
    'webauthn_register',
    'passkey_remove',
    'passkey_register',
    'totp_qr',
    'totp_secret_key',
    'totp_unlink',
    'totp_code',
  ],
}

/** Puts the nodes of the settings into the order of the wire. */
export function sortSettings(nodes: readonly Node[]): Node[] {
  return sorted(nodes, order)
}

/** Draws what each method lets an account change. */
export async function drawSettings(service: Service, identity: Identity, memory: FlowMemory): Promise<Drawing> {
  const drawing = await drawFor(service, identity, memory, ({ settings }, scene) => settings?.nodes(scene))
  return { ...drawing, nodes: sortSettings([csrfPlace, ...drawing.nodes]) }
}
