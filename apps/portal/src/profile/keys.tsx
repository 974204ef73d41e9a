import type { Flow, InputNode } from '@glacis/contract/identity'
import { Fingerprint, Plus, Usb } from 'lucide-react'
import { useState } from 'react'
import { isButton } from '#identity/body.ts'
import { NodeField } from '#identity/node-field.tsx'
import { inputsOf, passkeyName } from '#identity/nodes.ts'
import { ScriptNode } from '#identity/script-node.tsx'
import { runClick } from '#identity/triggers.ts'
import { formatDate } from '#lib/format.ts'
import { addToast } from '#ui/toasts.tsx'
import { SettingsForm } from '#profile/settings-form.tsx'
import { SettingsHeading, SettingsList, SettingsRow } from '#ui/settings-section.tsx'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Checkbox } from '#ui/field.tsx'

const kinds = {
  passkey: { title: 'Passkeys', noun: 'passkey', add: 'Add passkey', icon: <Fingerprint /> },
  webauthn: { title: 'Security keys', noun: 'security key', add: 'Add security key', icon: <Usb /> },
} as const

/** Lists, adds, and removes passkeys, or security keys used as a second factor. */
export function Keys({ flow, group }: { readonly flow: Flow; readonly group: 'passkey' | 'webauthn' }) {
  const [removing, setRemoving] = useState<InputNode>()
  const { title, add, icon } = kinds[group]
  const inputs = inputsOf(flow.ui.nodes, group)
  const removals = inputs.filter((node) => node.attributes.name === `${group}_remove`)
  const trigger = inputs.find((node) => node.attributes.name.endsWith('_register_trigger'))
  if (inputs.length === 0) return null
  return (
    <>
      <SettingsHeading>{title}</SettingsHeading>
      {removals.length > 0 && (
        <SettingsList label={title}>
          {removals.map((node) => (
            <SettingsRow
              key={String(node.attributes.value)}
              icon={icon}
              name={passkeyName(node)}
              detail={addedLabel(node)}
            >
              <Button
                size="sm"
                disabled={node.attributes.disabled}
                title={node.attributes.disabled ? "Your only sign-in method can't be removed." : undefined}
                aria-label={`Remove ${passkeyName(node)}`}
                onClick={() => setRemoving(node)}
              >
                Remove
              </Button>
            </SettingsRow>
          ))}
        </SettingsList>
      )}
      {trigger && (
        <SettingsForm flow={flow} submitter={trigger} className="mt-2 grid justify-items-start gap-3">
          {({ isPending }) => (
            <>
              {flow.ui.nodes.map(
                (node) => node.type === 'script' && <ScriptNode key={node.attributes.src} node={node} />,
              )}
              {inputs
                .filter((node) => !isButton(node))
                .map((node) => (
                  <NodeField key={node.attributes.name} node={node} />
                ))}
              <Button size="sm" icon={<Plus />} loading={isPending} onClick={() => void addKey(trigger)}>
                {add}
              </Button>
            </>
          )}
        </SettingsForm>
      )}
      {removing && (
        <RemoveDialog
          key={String(removing.attributes.value)}
          flow={flow}
          node={removing}
          what={kinds[group].noun}
          onClose={() => setRemoving(undefined)}
        />
      )}
    </>
  )
}

function RemoveDialog({
  flow,
  node,
  what,
  onClose,
}: {
  readonly flow: Flow
  readonly node: InputNode
  readonly what: string
  readonly onClose: () => void
}) {
  const [isConfirmed, setIsConfirmed] = useState(false)
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Remove ${passkeyName(node)}?`}
      description={`You'll no longer be able to sign in with this ${what}. It isn't deleted from your device.`}
    >
      <SettingsForm flow={flow} submitter={node} onSaved={onClose}>
        {({ isPending }) => (
          <>
            <Checkbox
              label="I understand the consequences of this action"
              checked={isConfirmed}
              disabled={isPending}
              onChange={(event) => setIsConfirmed(event.target.checked)}
            />
            <footer className="flex justify-end gap-2 py-5">
              <Button disabled={isPending} onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" variant="danger" loading={isPending} disabled={!isConfirmed}>
                Remove
              </Button>
            </footer>
          </>
        )}
      </SettingsForm>
    </Dialog>
  )
}

async function addKey(trigger: InputNode): Promise<void> {
  try {
    await runClick(trigger)
  } catch (error) {
    addToast('error', {
      title: 'Oops, something went wrong',
      message: error instanceof Error ? error.message : String(error),
    })
  }
}

function addedLabel({ meta }: InputNode): string | undefined {
  const addedAt = meta.label?.context?.['added_at']
  return typeof addedAt === 'string' ? `Added ${formatDate(addedAt)}` : undefined
}
