import type { Flow, InputNode } from '@glacis/contract/identity'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { isButton } from '#identity/body.ts'
import { fieldState, inputNamed, inputsOf } from '#identity/nodes.ts'
import { useSession } from '#identity/session.ts'
import { SettingsForm } from '#profile/settings-form.tsx'
import { SettingsHeading, SettingsList, SettingsRow } from '#ui/settings-section.tsx'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { TextField } from '#ui/field.tsx'

const mismatchText = "The provided passwords don't match."

/** Message ID of "You successfully recovered your account". */
const recoveredId = 1060001

/**
 * The password row and the dialog for changing it. The dialog opens automatically if the service rejected the last
 * attempt, and after account recovery.
 */
export function Password({ flow }: { readonly flow: Flow }) {
  const node = inputNamed(flow.ui.nodes, 'password')
  const save = inputsOf(flow.ui.nodes, 'password').find(isButton)
  const isRefused = node ? fieldState(node.messages) === 'error' : false
  const isRecovered = flow.ui.messages?.some(({ id }) => id === recoveredId) ?? false
  const [isOpen, setIsOpen] = useState(isRefused || isRecovered)
  const [wasRefused, setWasRefused] = useState(isRefused)
  if (isRefused !== wasRefused) {
    setWasRefused(isRefused)
    if (isRefused) setIsOpen(true)
  }
  if (!node || !save) return null
  return (
    <>
      <SettingsHeading>Password</SettingsHeading>
      <SettingsList label="Password">
        <SettingsRow icon={<KeyRound />} name="Password" detail="Used with your email address to sign in">
          <Button size="sm" onClick={() => setIsOpen(true)}>
            Change password
          </Button>
        </SettingsRow>
      </SettingsList>
      <PasswordDialog
        flow={flow}
        node={node}
        save={save}
        isRecovered={isRecovered}
        open={isOpen}
        onClose={() => setIsOpen(false)}
      />
    </>
  )
}

function PasswordDialog({
  flow,
  node,
  save,
  isRecovered,
  open,
  onClose,
}: {
  readonly flow: Flow
  readonly node: InputNode
  readonly save: InputNode
  readonly isRecovered: boolean
  readonly open: boolean
  readonly onClose: () => void
}) {
  const email = useSession()?.identity.traits.email
  const [isMismatch, setIsMismatch] = useState(false)
  const check = (form: HTMLFormElement) => {
    const differs = passwordsDiffer(form)
    setIsMismatch(differs)
    return !differs
  }
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="Change password"
      description={
        isRecovered ? "You've recovered your account. Choose a new password." : 'You stay signed in on this device.'
      }
    >
      <SettingsForm flow={flow} submitter={save} onSaved={onClose} canSubmit={check}>
        {({ isPending, clientErrors }) => (
          <div
            className="grid gap-4"
            onInput={({ currentTarget }) => isMismatch && setIsMismatch(passwordsDiffer(currentTarget.closest('form')))}
          >
            {/* Lets password managers associate the password with the account. Without a name, it isn't submitted. */}
            <input type="text" autoComplete="username" readOnly hidden value={email ?? ''} />
            <TextField
              label="New Password"
              name="password"
              type="password"
              required
              data-autofocus
              autoComplete={node.attributes.autocomplete ?? 'new-password'}
              state={clientErrors.has('password') ? 'error' : fieldState(node.messages)}
              messages={clientErrors.has('password') ? ['Required'] : node.messages.map(({ text }) => text)}
            />
            <TextField
              label="Confirm Password"
              name="confirm_password"
              type="password"
              required
              autoComplete="new-password"
              state={isMismatch ? 'error' : 'default'}
              messages={isMismatch ? [mismatchText] : []}
              onBlur={(event) => event.target.value !== '' && setIsMismatch(passwordsDiffer(event.target.form))}
            />
            <footer className="flex justify-end gap-2 pt-1 pb-4">
              <Button disabled={isPending} onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" variant="primary" loading={isPending} disabled={isMismatch}>
                Save password
              </Button>
            </footer>
          </div>
        )}
      </SettingsForm>
    </Dialog>
  )
}

function passwordsDiffer(form: HTMLFormElement | null): boolean {
  if (!form) return false
  const fields = new FormData(form)
  return fields.get('password') !== fields.get('confirm_password')
}
