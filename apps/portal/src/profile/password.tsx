import type { Flow, InputNode } from '@glacis/contract/identity'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { isButton } from '#identity/body.ts'
import { fieldState, inputNamed, inputsOf } from '#identity/nodes.ts'
import { useSession } from '#identity/session.ts'
import { SettingsForm } from '#profile/settings-form.tsx'
import { SettingsHeading, SettingsList, SettingsRow } from '#profile/settings-section.tsx'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { TextField } from '#ui/field.tsx'

const mismatchText = "The provided passwords don't match."

/** Message id of "You successfully recovered your account". */
const recoveredId = 1060001

/**
 * The password and the dialog that changes it. The dialog opens by itself when the service refused the last try,
 * and for whoever has just recovered the account, most often for want of the password.
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
        <SettingsRow icon={<KeyRound />} name="Password" detail="Signs you in with your email">
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
    const differs = isDifferent(form)
    setIsMismatch(differs)
    return !differs
  }
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="Change password"
      description={
        isRecovered
          ? 'You are back in your account. Choose the password that you sign in with from now on.'
          : 'You stay signed in on this device.'
      }
    >
      <SettingsForm flow={flow} submitter={save} onSaved={onClose} mayLeave={check}>
        {({ isPending, ownErrors }) => (
          <div
            className="grid gap-4"
            onInput={({ currentTarget }) => isMismatch && setIsMismatch(isDifferent(currentTarget.closest('form')))}
          >
            {/* Tells a password manager whose password it is; without a name it is not sent. */}
            <input type="text" autoComplete="username" readOnly hidden value={email ?? ''} />
            <TextField
              label="New Password"
              name="password"
              type="password"
              required
              data-autofocus
              autoComplete={node.attributes.autocomplete ?? 'new-password'}
              state={ownErrors.has('password') ? 'error' : fieldState(node.messages)}
              messages={ownErrors.has('password') ? ['Required'] : node.messages.map(({ text }) => text)}
            />
            <TextField
              label="Confirm Password"
              name="confirm_password"
              type="password"
              required
              autoComplete="new-password"
              state={isMismatch ? 'error' : 'default'}
              messages={isMismatch ? [mismatchText] : []}
              onBlur={(event) => event.target.value !== '' && setIsMismatch(isDifferent(event.target.form))}
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

function isDifferent(form: HTMLFormElement | null): boolean {
  if (!form) return false
  const fields = new FormData(form)
  return fields.get('password') !== fields.get('confirm_password')
}
