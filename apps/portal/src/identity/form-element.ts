/** What a form of nodes does as an element: its focus, the service's script, and what it finds wrong by itself. */
import type { Flow, UiNode } from '@glacis/contract/identity'
import { useCallback, useEffect, useRef } from 'react'
import { isButton, sendsAgain, type Submitter } from '#identity/body.ts'
import type { OwnErrors } from '#identity/node-field.tsx'
import { fieldState, inputsOf, isQuiet } from '#identity/nodes.ts'

/**
 * The form element. The service's script calls `form.submit()`, which would leave the page;
 * here it is taken like any other submission.
 *
 * @param answers how often the service has answered
 */
export function useFlowForm(flow: Flow, answers: number, onScript: (fields: FormData) => void) {
  const element = useRef<HTMLFormElement>(null)
  const latest = useRef(onScript)
  useEffect(() => {
    latest.current = onScript
  })
  useEffect(() => {
    const wrong = inputsOf(flow.ui.nodes).find((node) => fieldState(node.messages) === 'error')
    if (wrong && element.current) focusField(element.current, wrong.attributes.name)
    // The same refusal twice is the same flow, and asks for the focus twice.
  }, [flow, answers])
  // Another step asks for other things, and begins at the first of them.
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

/** Puts the focus on the field of this name; a code begins at its first box. */
export function focusField(form: HTMLFormElement, name: string | undefined): void {
  const field = [...form.elements].find((element) => 'name' in element && element.name === name)
  if (!(field instanceof HTMLInputElement)) return
  const target = field.type === 'hidden' ? field.closest('fieldset')?.querySelector('input') : field
  target?.focus()
}

/** What can be said without asking the service, for the fields that would be sent. */
export function ownErrorsOf(form: HTMLFormElement, nodes: readonly UiNode[], submitter: Submitter): OwnErrors {
  const errors = new Map<string, string>()
  const groups = new Set<UiNode['group']>(['default', submitter.group])
  for (const { attributes, group } of inputsOf(nodes)) {
    if (attributes.type === 'hidden' || !groups.has(group) || isQuiet(submitter.group)) continue
    const field = form.elements.namedItem(attributes.name)
    if (!(field instanceof HTMLInputElement)) continue
    if (attributes.required && field.value.trim() === '') errors.set(attributes.name, 'Required')
    else if (field.validity.typeMismatch && field.type === 'email') errors.set(attributes.name, 'Invalid email')
    else if (!field.validity.valid) errors.set(attributes.name, field.validationMessage || 'Invalid input')
  }
  // A step back, or an address sent again, does not need what is asked for here.
  if (sendsAgain(submitter) || submitter.name === 'screen') errors.clear()
  return errors
}

/** The errors without that of the field that is being mended. */
export function withoutField(errors: OwnErrors, field: EventTarget): OwnErrors {
  if (!(field instanceof HTMLInputElement)) return errors
  const names = [field.name, ...codeNamesOf(field)]
  if (!names.some((name) => errors.has(name))) return errors
  return new Map([...errors].filter(([name]) => !names.includes(name)))
}
function codeNamesOf(field: HTMLInputElement): string[] {
  const carrier = field.closest('fieldset')?.querySelector<HTMLInputElement>('input[type=hidden][name]')
  return carrier ? [carrier.name] : []
}
