import type { Flow, InputNode } from '@glacis/contract/identity'
import { LifeBuoy } from 'lucide-react'
import { useState } from 'react'
import { z } from 'zod/mini'
import { inputNamed } from '#identity/nodes.ts'
import { SettingsForm } from '#profile/settings-form.tsx'
import { SettingsHeading, SettingsList, SettingsRow } from '#ui/settings-section.tsx'
import { TurnOffDialog } from '#profile/turn-off-dialog.tsx'
import { Badge } from '#ui/badge.tsx'
import { Button } from '#ui/button.tsx'
import { CopyField } from '#ui/copy-field.tsx'

/** Single-use backup codes: set up, show, replace, and turn off. */
export function BackupCodes({ flow }: { readonly flow: Flow }) {
  const [isTurningOff, setIsTurningOff] = useState(false)
  const { nodes } = flow.ui
  const reveal = inputNamed(nodes, 'lookup_secret_reveal')
  const regenerate = inputNamed(nodes, 'lookup_secret_regenerate')
  const confirm = inputNamed(nodes, 'lookup_secret_confirm')
  const disable = inputNamed(nodes, 'lookup_secret_disable')
  if (!reveal && !regenerate && !confirm && !disable) return null
  const codes = codesIn(flow)
  return (
    <>
      <SettingsHeading>Backup codes</SettingsHeading>
      <SettingsList label="Backup codes">
        <SettingsRow
          icon={<LifeBuoy />}
          name="Backup codes"
          detail={
            <BackupCodesState isOn={Boolean(disable)} isNew={Boolean(confirm)} isNeeded={hasSecondFactor(nodes)} />
          }
        >
          <div className="flex flex-wrap justify-end gap-2">
            {reveal && <SubmitButton flow={flow} node={reveal} word="Show" label="Show backup codes" />}
            {regenerate && !disable && (
              <SubmitButton flow={flow} node={regenerate} word="Set up" label="Set up backup codes" />
            )}
            {regenerate && disable && (
              <SubmitButton flow={flow} node={regenerate} word="Replace" label="Replace backup codes" />
            )}
            {disable && (
              <Button size="sm" aria-label="Turn off backup codes" onClick={() => setIsTurningOff(true)}>
                Turn off
              </Button>
            )}
          </div>
        </SettingsRow>
      </SettingsList>
      {codes.length > 0 && (
        <div className="mt-2 grid justify-items-start gap-3 [&>:first-child]:w-full">
          <CopyField label="Backup codes" value={formatRows(codes)} wrap />
          {confirm && <SubmitButton flow={flow} node={confirm} word="I've saved my codes" isPrimary />}
        </div>
      )}
      {disable && (
        <TurnOffDialog
          flow={flow}
          button={disable}
          title="Turn off backup codes"
          description="Your saved backup codes stop working immediately."
          open={isTurningOff}
          onClose={() => setIsTurningOff(false)}
        />
      )}
    </>
  )
}

interface StateProps {
  readonly isOn: boolean
  readonly isNew: boolean
  /** True if sign-in requires a phone or key that can be lost. */
  readonly isNeeded: boolean
}

function BackupCodesState({ isOn, isNew, isNeeded }: StateProps) {
  if (isNew) return "Save these codes in a safe place. They become valid after you confirm that you've saved them."
  if (isOn) return <Badge variant="green">On</Badge>
  return (
    <>
      <Badge>Off</Badge>{' '}
      {isNeeded && "Set these up too: without them, you're locked out if you lose your phone or key."}
    </>
  )
}

function hasSecondFactor(nodes: Flow['ui']['nodes']): boolean {
  return ['totp_unlink', 'webauthn_remove'].some((name) => inputNamed(nodes, name) !== undefined)
}

interface SubmitButtonProps {
  readonly flow: Flow
  readonly node: InputNode
  readonly word: string
  /** Accessible name, if the visible text isn't specific enough. */
  readonly label?: string
  readonly isPrimary?: boolean
}
function SubmitButton({ flow, node, word, label, isPrimary = false }: SubmitButtonProps) {
  return (
    <SettingsForm flow={flow} submitter={node}>
      {({ isPending }) => (
        <Button
          type="submit"
          size="sm"
          variant={isPrimary ? 'primary' : 'secondary'}
          loading={isPending}
          aria-label={label}
        >
          {word}
        </Button>
      )}
    </SettingsForm>
  )
}

/** Message ID of a used code. */
const usedCode = 1050014
const CodesContext = z.object({ secrets: z.array(z.object({ id: z.number(), text: z.string() })) })

/** The codes in the flow, with used ones replaced by "(used)". */
function codesIn({ ui: { nodes } }: Flow): readonly string[] {
  for (const node of nodes) {
    if (node.type !== 'text' || node.group !== 'lookup_secret') continue
    const shown = CodesContext.safeParse(node.attributes.text.context)
    if (!shown.success) return node.attributes.text.text.split(', ')
    return shown.data.secrets.map(({ id, text }) => (id === usedCode ? '(used)  ' : text))
  }
  return []
}

const codesPerRow = 3

function formatRows(codes: readonly string[]): string {
  const rows = Array.from({ length: Math.ceil(codes.length / codesPerRow) }, (_, row) =>
    codes.slice(row * codesPerRow, (row + 1) * codesPerRow).join('   '),
  )
  return rows.join('\n')
}
