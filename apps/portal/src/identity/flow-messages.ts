/** Shows the messages of a flow as toasts. */
import type { Flow, Message } from '@glacis/contract/identity'
import { addToast, type ToastKind } from '#ui/toasts.tsx'

/** Message IDs of the settings flow. Only `updated` is used; the others document the range. */
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

/** Kind and title of the toast for a message. */
export function toastFor({ id, type }: Pick<Message, 'id' | 'type'>): {
  readonly kind: ToastKind
  readonly title: string
} {
  if (type === 'success' && id === settingsMessages.updated) return { kind: 'success', title: 'Account updated' }
  if (type === 'info') return { kind: 'info', title: 'Info' }
  if (type === 'success') return { kind: 'success', title: 'Success' }
  return { kind: 'error', title: 'Oops, something went wrong' }
}

/** Shows one toast per message. */
function showToasts(messages: readonly Message[]): void {
  for (const message of messages) {
    const { kind, title } = toastFor(message)
    addToast(kind, { title, message: message.text })
  }
}

const shownKey = 'glacis.announced'
let lastShown: Flow | undefined

/** Shows a flow's messages once per response. Reloading the page fetches the same flow and must not repeat them. */
export function showMessagesOnce(flow: Flow): void {
  if (flow.ui.messages.length === 0 || flow === lastShown) return
  const signature = `${flow.id} ${flow.ui.messages.map(({ id }) => id).join(' ')}`
  const isReload = lastShown === undefined && sessionStorage.getItem(shownKey) === signature
  lastShown = flow
  sessionStorage.setItem(shownKey, signature)
  if (!isReload) showToasts(flow.ui.messages)
}
