/** DOM behavior of a flow's form: focus, scripted submission, and client-side validation. */
import type { Flow, UiNode } from '@glacis/contract/identity'
import { useCallback, useEffect, useRef } from 'react'
import { isButton, isResend, type Submitter } from '#identity/body.ts'
import type { ClientErrors } from '#identity/node-field.tsx'
import { fieldState, inputsOf, isButtonGroup } from '#identity/nodes.ts'

/**
 * Returns the ref of the form element. The service's script calls `form.submit()`, which would navigate away; the
 * override passes the fields to `onScript` instead.
 *
 * @param responseCount number of responses received for the flow
 */
export function useFlowForm(flow: Flow, responseCount: number, onScript: (fields: FormData) => void) {
  const element = useRef<HTMLFormElement>(null)
  const latest = useRef(onScript)
  useEffect(() => {
    latest.current = onScript
  })
  useEffect(() => {
    const wrong = inputsOf(flow.ui.nodes).filter((node) => fieldState(node.messages) === 'error')
    const names = wrong.map(({ attributes }) => attributes.name)
    if (element.current) focusFirstField(element.current, names)
    // `responseCount` re-runs the effect if the same error is returned again.
  }, [flow, responseCount])
  // A new step has different fields; focus the first one.
  const step = inputsOf(flow.ui.nodes)
    .filter((node) => !isButton(node) && node.attributes.type !== 'hidden')
    .map((node) => node.attributes.name)
    .join(' ')
  useEffect(() => {
    element.current?.querySelector<HTMLElement>('[data-autofocus]')?.focus()
  }, [step])
  return useCallback((form: HTMLFormElement | null) => {
    element.current = form
    if (form) form.submit = () => latest.current(new FormData(form))
  }, [])
}

/** Focuses the first of these fields on the screen. For a code input, focuses its first box. */
export function focusFirstField(form: HTMLFormElement, names: readonly string[]): void {
  const field = [...form.elements].find((element) => 'name' in element && names.includes(String(element.name)))
  if (!(field instanceof HTMLInputElement)) return
  const target = field.type === 'hidden' ? field.closest('fieldset')?.querySelector('input') : field
  target?.focus()
}

/** Client-side validation errors of the fields that would be sent. */
export function validateFields(form: HTMLFormElement, nodes: readonly UiNode[], submitter: Submitter): ClientErrors {
  const errors = new Map<string, string>()
  const groups = new Set<UiNode['group']>(['default', submitter.group])
  for (const { attributes, group } of inputsOf(nodes)) {
    if (attributes.type === 'hidden' || !groups.has(group) || isButtonGroup(submitter.group)) continue
    const field = form.elements.namedItem(attributes.name)
    if (!(field instanceof HTMLInputElement)) continue
    if (attributes.required && field.value.trim() === '') errors.set(attributes.name, 'Required')
    else if (field.validity.typeMismatch && field.type === 'email') errors.set(attributes.name, 'Invalid email')
    else if (!field.validity.valid) errors.set(attributes.name, field.validationMessage || 'Invalid input')
  }
  // Going back or resending a code doesn't require the fields of this step.
  if (isResend(submitter) || submitter.name === 'screen') errors.clear()
  return errors
}

/** The errors, except for the field being edited. */
export function withoutField(errors: ClientErrors, field: EventTarget): ClientErrors {
  if (!(field instanceof HTMLInputElement)) return errors
  const names = [field.name, ...codeNamesOf(field)]
  if (!names.some((name) => errors.has(name))) return errors
  return new Map([...errors].filter(([name]) => !names.includes(name)))
}
function codeNamesOf(field: HTMLInputElement): string[] {
  const hiddenInput = field.closest('fieldset')?.querySelector<HTMLInputElement>('input[type=hidden][name]')
  return hiddenInput ? [hiddenInput.name] : []
}
