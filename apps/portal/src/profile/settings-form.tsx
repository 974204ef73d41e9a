import type { Flow, InputNode } from '@glacis/contract/identity'
import { type ReactNode, type SubmitEvent, useState } from 'react'
import { bodyOf, isButton } from '#identity/body.ts'
import { ownErrorsOf, useFlowForm } from '#identity/form-element.ts'
import { NodeField, type OwnErrors } from '#identity/node-field.tsx'
import { inputsOf } from '#identity/nodes.ts'
import { useFlow } from '#identity/use-flow.ts'
import { Note } from '#ui/note.tsx'

/** What the parts of a settings form need from it. */
export interface SettingsFormParts {
  readonly isPending: boolean
  readonly ownErrors: OwnErrors
  /** How often the service has answered. */
  readonly answers: number
}

/**
 * One part of the settings flow as a form of its own: the fields of one group, sent with what is common
 * to all. Pressing Enter or a submit button sends `submitter`; the service's script sends by itself.
 */
export function SettingsForm({
  id,
  flow,
  submitter,
  onSaved,
  mayLeave = () => true,
  className,
  children,
}: {
  readonly id?: string
  readonly flow: Flow
  readonly submitter: InputNode
  readonly onSaved?: () => void
  /** Asked before the form is sent. */
  readonly mayLeave?: (form: HTMLFormElement) => boolean
  readonly className?: string
  readonly children: (parts: SettingsFormParts) => ReactNode
}) {
  const { submit, isPending, trouble, answers } = useFlow('settings', flow, onSaved && { onSaved })
  const [ownErrors, setOwnErrors] = useState<OwnErrors>(new Map())
  const { group, attributes } = submitter
  const form = useFlowForm(flow, answers, (fields) =>
    submit(bodyOf(flow.ui.nodes, fields, { group, name: '', value: '' })),
  )
  function send(event: SubmitEvent<HTMLFormElement>): void {
    event.preventDefault()
    const pressed = { group, name: attributes.name, value: String(attributes.value ?? '') }
    const errors = ownErrorsOf(event.currentTarget, flow.ui.nodes, pressed)
    setOwnErrors(errors)
    if (errors.size > 0 || isPending || !mayLeave(event.currentTarget)) return
    submit(bodyOf(flow.ui.nodes, new FormData(event.currentTarget), pressed))
  }
  return (
    <form
      id={id}
      ref={form}
      action={flow.ui.action}
      method={flow.ui.method}
      noValidate
      onSubmit={send}
      onInput={() => setOwnErrors(new Map())}
      className={className}
    >
      <CommonNodes flow={flow} />
      {trouble && <Note variant="red">{trouble}</Note>}
      {children({ isPending, ownErrors, answers })}
    </form>
  )
}

/** What every part of the settings carries, the token against forgery above all. */
function CommonNodes({ flow }: { readonly flow: Flow }) {
  return inputsOf(flow.ui.nodes, 'default')
    .filter((node) => !isButton(node))
    .map((node) => <NodeField key={node.attributes.name} node={node} />)
}
