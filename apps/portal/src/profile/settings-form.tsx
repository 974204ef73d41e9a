import type { Flow, InputNode } from '@glacis/contract/identity'
import { type ReactNode, type SubmitEvent, useState } from 'react'
import { bodyOf, isButton } from '#identity/body.ts'
import { focusFirstField, validateFields, useFlowForm } from '#identity/form-element.ts'
import { NodeField, type ClientErrors } from '#identity/node-field.tsx'
import { inputsOf } from '#identity/nodes.ts'
import { useFlow } from '#identity/use-flow.ts'
import { Note } from '#ui/note.tsx'

/** State passed to the fields of a settings form. */
export interface SettingsFormParts {
  readonly isPending: boolean
  readonly clientErrors: ClientErrors
  /** Number of responses received for the flow. */
  readonly responseCount: number
}

/**
 * A separate form for one group of the settings flow, submitted with the default group's fields. Enter or a submit
 * button sends `submitter`; the service's WebAuthn script can submit the form too.
 */
export function SettingsForm({
  id,
  flow,
  submitter,
  onSaved,
  canSubmit = () => true,
  className,
  children,
}: {
  readonly id?: string
  readonly flow: Flow
  readonly submitter: InputNode
  readonly onSaved?: () => void
  /** Validates the form before it is sent. */
  readonly canSubmit?: (form: HTMLFormElement) => boolean
  readonly className?: string
  readonly children: (parts: SettingsFormParts) => ReactNode
}) {
  const { submit, isPending, problem, responseCount } = useFlow('settings', flow, onSaved && { onSaved })
  const [clientErrors, setClientErrors] = useState<ClientErrors>(new Map())
  const { group, attributes } = submitter
  const form = useFlowForm(flow, responseCount, (fields) =>
    submit(bodyOf(flow.ui.nodes, fields, { group, name: '', value: '' })),
  )
  function send(event: SubmitEvent<HTMLFormElement>): void {
    event.preventDefault()
    const pressed = { group, name: attributes.name, value: String(attributes.value ?? '') }
    const errors = validateFields(event.currentTarget, flow.ui.nodes, pressed)
    setClientErrors(errors)
    focusFirstField(event.currentTarget, [...errors.keys()])
    if (errors.size > 0 || isPending || !canSubmit(event.currentTarget)) return
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
      onInput={() => setClientErrors(new Map())}
      className={className}
    >
      <CommonNodes flow={flow} />
      {problem && <Note variant="red">{problem}</Note>}
      {children({ isPending, clientErrors, responseCount })}
    </form>
  )
}

/** The default group's fields, such as the CSRF token. */
function CommonNodes({ flow }: { readonly flow: Flow }) {
  return inputsOf(flow.ui.nodes, 'default')
    .filter((node) => !isButton(node))
    .map((node) => <NodeField key={node.attributes.name} node={node} />)
}
