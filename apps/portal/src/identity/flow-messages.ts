/** What the service says of a flow as a whole, as notices. */
import type { Flow, Message } from '@glacis/contract/identity'
import { addToast, successToastMs, type ToastKind } from '#lib/toasts.ts'

/**
 * Message ids of the settings flow. Only the first changes what the portal says; the others are
 * named so that a reader of a log or a test need not look them up.
 */
const settingsMessages = {
  updated: 1050001,
  linkProvider: 1050002,
  unlinkProvider: 1050003,
  unlinkTotp: 1050004,
  totpQrCode: 1050005,
  totpSecret: 1050006,
  revealLookupSecrets: 1050007,
  regenerateLookupSecrets: 1050008,
  lookupSecret: 1050009,
  lookupSecretsLabel: 1050010,
  confirmLookupSecrets: 1050011,
  addSecurityKey: 1050012,
  securityKeyName: 1050013,
  lookupSecretUsed: 1050014,
  lookupSecretsList: 1050015,
  disableLookupSecrets: 1050016,
  totpSecretLabel: 1050017,
  removeSecurityKey: 1050018,
  addPasskey: 1050019,
  removePasskey: 1050020,
} as const

/** Kind and title of the notice for a message. */
export function toastFor({ id, type }: Pick<Message, 'id' | 'type'>): {
  readonly kind: ToastKind
  readonly title: string
} {
  if (type === 'success' && id === settingsMessages.updated) return { kind: 'success', title: 'Account updated' }
  if (type === 'info') return { kind: 'info', title: 'Info' }
  if (type === 'success') return { kind: 'success', title: 'Success' }
  return { kind: 'error', title: 'Oops, something went wrong' }
}

/** Raises one notice for each message. */
function announce(messages: readonly Message[]): void {
  for (const message of messages) {
    const { kind, title } = toastFor(message)
    addToast(kind, { title, message: message.text, ...(kind === 'success' && { timeoutMs: successToastMs }) })
  }
}

const announcedFlag = 'glacis.announced'
let lastAnnounced: Flow | undefined

/**
 * Raises what a flow says, once for each answer: a page that is loaded again fetches the same flow with
 * the same messages, and they are not news any more.
 */
export function announceOnce(flow: Flow): void {
  if (flow.ui.messages.length === 0 || flow === lastAnnounced) return
  const told = `${flow.id} ${flow.ui.messages.map(({ id }) => id).join(' ')}`
  const isReload = lastAnnounced === undefined && sessionStorage.getItem(announcedFlag) === told
  lastAnnounced = flow
  sessionStorage.setItem(announcedFlag, told)
  if (!isReload) announce(flow.ui.messages)
}
