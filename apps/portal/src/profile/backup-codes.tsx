import type { Flow, InputNode } from '@glacis/contract/identity'
import { LifeBuoy } from 'lucide-react'
import { useState } from 'react'
import { z } from 'zod'
import { inputNamed } from '#identity/nodes.ts'
import { SettingsForm } from '#profile/settings-form.tsx'
import { SettingsHeading, SettingsList, SettingsRow } from '#profile/settings-section.tsx'
import { TurnOffDialog } from '#profile/turn-off-dialog.tsx'
import { Badge } from '#ui/badge.tsx'
import { Button } from '#ui/button.tsx'
import { CopyField } from '#ui/copy-field.tsx'

/** Codes to print, each good for one sign-in without the phone: make, keep, show again, turn off. */
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
      <SettingsHeading>Back-up codes</SettingsHeading>
      <SettingsList label="Back-up codes">
        <SettingsRow
          icon={<LifeBuoy />}
          name="Back-up codes"
          detail={<State isOn={Boolean(disable)} isNew={Boolean(confirm)} isNeeded={hasSecondFactor(nodes)} />}
        >
          <div className="flex flex-wrap justify-end gap-2">
            {reveal && <Press flow={flow} node={reveal} word="Show" label="Show back-up codes" />}
            {regenerate && !disable && (
              <Press flow={flow} node={regenerate} word="Set up" label="Set up back-up codes" />
            )}
            {regenerate && disable && (
              <Press flow={flow} node={regenerate} word="Replace" label="Replace back-up codes" />
            )}
            {disable && (
              <Button size="sm" aria-label="Turn off back-up codes" onClick={() => setIsTurningOff(true)}>
                Turn off
              </Button>
            )}
          </div>
        </SettingsRow>
      </SettingsList>
      {codes.length > 0 && (
        <div className="mt-2 grid justify-items-start gap-3 [&>:first-child]:w-full">
          <CopyField label="Back-up codes" value={inRows(codes)} wrap />
          {confirm && <Press flow={flow} node={confirm} word="I have saved them" isPrimary />}
        </div>
      )}
      {disable && (
        <TurnOffDialog
          flow={flow}
          button={disable}
          title="Turn off back-up codes"
          description="The codes you have kept stop working."
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
  /** A phone or a key that can be lost is asked for at every sign-in. */
  readonly isNeeded: boolean
}

function State({ isOn, isNew, isNeeded }: StateProps) {
  if (isNew) return 'Save these codes in a safe place. They work once you have confirmed that.'
  if (isOn) return <Badge variant="green">On</Badge>
  return (
    <>
      <Badge>Off</Badge> {isNeeded && 'Set these up too: without them a lost phone or key locks you out.'}
    </>
  )
}

function hasSecondFactor(nodes: Flow['ui']['nodes']): boolean {
  return ['totp_unlink', 'webauthn_remove'].some((name) => inputNamed(nodes, name) !== undefined)
}

interface PressProps {
  readonly flow: Flow
  readonly node: InputNode
  readonly word: string
  /** What is read out where the word alone says too little. */
  readonly label?: string
  readonly isPrimary?: boolean
}
function Press({ flow, node, word, label, isPrimary = false }: PressProps) {
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

/** Message id of a code that has been used. */
const usedCode = 1050014
const Shown = z.object({ secrets: z.array(z.object({ id: z.number(), text: z.string() })) })

/** The codes as the service shows them; a used one is named so and no longer told. */
function codesIn({ ui: { nodes } }: Flow): readonly string[] {
  for (const node of nodes) {
    if (node.type !== 'text' || node.group !== 'lookup_secret') continue
    const shown = Shown.safeParse(node.attributes.text.context)
    if (!shown.success) return node.attributes.text.text.split(', ')
    return shown.data.secrets.map(({ id, text }) => (id === usedCode ? '(used)  ' : text))
  }
  return []
}

const codesPerRow = 3

function inRows(codes: readonly string[]): string {
  const rows = Array.from({ length: Math.ceil(codes.length / codesPerRow) }, (_, row) =>
    codes.slice(row * codesPerRow, (row + 1) * codesPerRow).join('   '),
  )
  return rows.join('\n')
}
