import type { Flow, InputNode, UiNode } from '@glacis/contract/identity'
import { Smartphone } from 'lucide-react'
import { useState } from 'react'
import { isButton } from '#identity/body.ts'
import { NodeContent, NodeField } from '#identity/node-field.tsx'
import { inputNamed, inputsOf } from '#identity/nodes.ts'
import { BackupCodes } from '#profile/backup-codes.tsx'
import { Keys } from '#profile/keys.tsx'
import { SettingsForm } from '#profile/settings-form.tsx'
import { SettingsList, SettingsRow, SettingsSection } from '#ui/settings-section.tsx'
import { TurnOffDialog } from '#profile/turn-off-dialog.tsx'
import { Badge } from '#ui/badge.tsx'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'

/** True if the service offers to unlink TOTP. */
export function isTwoFactorOn(nodes: readonly UiNode[]): boolean {
  return inputNamed(nodes, 'totp_unlink') !== undefined
}

/** Second factors: authenticator app, security keys, and backup codes. */
export function TwoFactor({ flow }: { readonly flow: Flow }) {
  const [isOpen, setIsOpen] = useState(false)
  const close = () => setIsOpen(false)
  const nodes = flow.ui.nodes.filter(({ group }) => group === 'totp')
  const unlink = inputNamed(nodes, 'totp_unlink')
  const save = inputsOf(nodes).find((node) => node.attributes.name === 'method')
  const hasOthers = flow.ui.nodes.some(({ group }) => group === 'lookup_secret' || group === 'webauthn')
  if (nodes.length === 0 && !hasOthers) return null
  return (
    <SettingsSection
      id="two-factor"
      title="Two-factor authentication"
      description="When turned on, required after your password at every sign-in."
    >
      {nodes.length > 0 && (
        <SettingsList label="Two-factor authentication">
          <SettingsRow
            icon={<Smartphone />}
            name="Authenticator app"
            detail={isTwoFactorOn(nodes) ? <Badge variant="green">On</Badge> : <Badge>Off</Badge>}
          >
            <Button size="sm" variant={unlink ? 'secondary' : 'primary'} onClick={() => setIsOpen(true)}>
              {unlink ? 'Turn off' : 'Set up'}
            </Button>
          </SettingsRow>
        </SettingsList>
      )}
      <Keys flow={flow} group="webauthn" />
      <BackupCodes flow={flow} />
      {unlink && (
        <TurnOffDialog
          flow={flow}
          button={unlink}
          title="Turn off authenticator app"
          description="Without another second factor, your password alone will be enough to sign in."
          open={isOpen}
          onClose={close}
        />
      )}
      {!unlink && save && <SetUpDialog flow={flow} nodes={nodes} save={save} open={isOpen} onClose={close} />}
    </SettingsSection>
  )
}

interface DialogProps {
  readonly flow: Flow
  readonly open: boolean
  readonly onClose: () => void
}

function SetUpDialog({
  flow,
  nodes,
  save,
  open,
  onClose,
}: DialogProps & { readonly nodes: readonly UiNode[]; readonly save: InputNode }) {
  return (
    <Dialog
      wide
      open={open}
      onClose={onClose}
      title="Set up two-factor authentication"
      description="Scan the code with an authenticator app, then enter the 6 digits it shows."
    >
      <SettingsForm flow={flow} submitter={save} onSaved={onClose}>
        {({ isPending, clientErrors, responseCount }) => (
          <>
            <div className="grid grid-cols-[176px_minmax(0,1fr)] gap-7 max-md:grid-cols-1 max-md:justify-items-center">
              {nodes.map((node) => node.type === 'img' && <NodeContent key={node.attributes.src} node={node} />)}
              <div className="grid content-start gap-5">
                {nodes.map((node, index) => {
                  if (node.type === 'text')
                    return (
                      <NodeContent
                        key={index}
                        node={node}
                        label="Secret"
                        hint="Enter this if you can't scan the code."
                      />
                    )
                  if (node.type !== 'input' || isButton(node)) return null
                  return (
                    <NodeField
                      key={node.attributes.name}
                      node={node}
                      clientErrors={clientErrors}
                      responseCount={responseCount}
                      focusFirst
                    />
                  )
                })}
              </div>
            </div>
            <footer className="flex justify-end gap-2 py-5">
              <Button disabled={isPending} onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" variant="primary" loading={isPending}>
                Turn on
              </Button>
            </footer>
          </>
        )}
      </SettingsForm>
    </Dialog>
  )
}
