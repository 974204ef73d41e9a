/** The settings form. */
import { type Form, buildIdentityForm } from '#flow/form.ts'
import { csrfPlaceholder } from '#flow/flow.ts'
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

/** Sorts settings nodes in wire order. */
export function sortSettings(nodes: readonly Node[]): Node[] {
  return sorted(nodes, order)
}

/** Builds the settings form of an identity. */
export async function buildSettingsForm(service: Service, identity: Identity, memory: FlowMemory): Promise<Form> {
  const form = await buildIdentityForm(service, identity, memory, ({ settings }, context) => settings?.nodes(context))
  return { ...form, nodes: sortSettings([csrfPlaceholder, ...form.nodes]) }
}
