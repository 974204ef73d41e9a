import type { InputNode, UiNode } from '@glacis/contract/identity'
import { type ReactNode, useEffect } from 'react'
import { codeNames, fieldState, labelOf } from '#identity/nodes.ts'
import { runLoad } from '#identity/triggers.ts'
import { CodeInput } from '#ui/code-input.tsx'
import { CopyField } from '#ui/copy-field.tsx'
import { Checkbox, FieldMessages, TextField } from '#ui/field.tsx'

/** Client-side validation errors by field name. */
export type ClientErrors = ReadonlyMap<string, string>

/** Renders an input node with its messages. */
export function NodeField({
  node,
  clientErrors,
  responseCount = 0,
  aside,
  disabled,
  focusFirst = false,
}: {
  readonly node: InputNode
  readonly clientErrors?: ClientErrors | undefined
  /** Number of responses received; used to clear a rejected code. */
  readonly responseCount?: number
  readonly aside?: ReactNode
  readonly disabled?: boolean | undefined
  /** Focuses the field when the form appears. */
  readonly focusFirst?: boolean
}) {
  const { attributes, messages } = node
  const { name, type, value } = attributes
  const own = clientErrors?.get(name)
  const texts = own ? [own] : messages.map(({ text }) => text)
  const state = own ? 'error' : fieldState(messages)
  const label = labelOf(node)
  const isDisabled = attributes.disabled || disabled
  const isRefused = fieldState(messages) === 'error'

  if (type === 'hidden') return <HiddenNode node={node} />
  if (codeNames.has(name)) {
    return (
      <CodeInput
        key={isRefused ? `refused ${responseCount}` : String(value ?? '')}
        name={name}
        label={label}
        state={state}
        messages={texts}
        initially={isRefused ? '' : String(value ?? '')}
        disabled={isDisabled ?? false}
        focusFirst={focusFirst}
      />
    )
  }
  if (type === 'checkbox') {
    return (
      <div className="grid gap-1.5">
        <Checkbox
          name={name}
          value="true"
          label={label}
          defaultChecked={value === true || value === 'true'}
          disabled={isDisabled}
          required={attributes.required}
        />
        {texts.length > 0 && <FieldMessages messages={texts} state={state} />}
      </div>
    )
  }
  return (
    <TextField
      label={label}
      name={name}
      type={type}
      defaultValue={value === undefined ? undefined : String(value)}
      required={attributes.required}
      optional={!attributes.required}
      disabled={isDisabled}
      autoComplete={autocompleteOf(node)}
      maxLength={attributes.maxlength}
      state={state}
      messages={texts}
      aside={aside}
      hint={hintFor(node)}
      data-autofocus={focusFirst || undefined}
      spellCheck={type === 'text' && !name.startsWith('traits.name') ? false : undefined}
      autoCapitalize={type === 'email' || name === 'identifier' ? 'none' : undefined}
    />
  )
}

/** A hidden field. It is uncontrolled because a script may change its value. */
function HiddenNode({ node }: { readonly node: InputNode }) {
  const { name, value, onload, onloadTrigger } = node.attributes
  useEffect(() => {
    // Ignore browsers without passkey support: the other sign-in methods are still available.
    if (onload || onloadTrigger) runLoad(node).catch(() => {})
    // Run once per mount, like `onload`.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [onload, onloadTrigger])
  return <input type="hidden" key={String(value ?? '')} name={name} defaultValue={String(value ?? '')} />
}

/** Password requirements, shown before the service validates them. */
function hintFor({ attributes: { autocomplete, type } }: InputNode): string | undefined {
  return type === 'password' && autocomplete === 'new-password' ? 'At least 8 characters.' : undefined
}

/** Fills in `autocomplete` values that the service doesn't provide. */
function autocompleteOf({ attributes: { name, autocomplete } }: InputNode): string | undefined {
  if (autocomplete) return autocomplete
  const autocompleteByName: Readonly<Record<string, string>> = {
    'traits.name.first': 'given-name',
    'traits.name.last': 'family-name',
    email: 'email',
    identifier: 'username',
  }
  return autocompleteByName[name]
}

interface NodeContentProps {
  readonly node: UiNode
  /** Replaces the service's label. */
  readonly label?: string
  readonly hint?: string
}

/** Renders a text or image node, and nothing for other nodes. */
export function NodeContent({ node, label: ownLabel, hint }: NodeContentProps) {
  if (node.type === 'img') {
    const { src, width, height } = node.attributes
    return (
      <img
        src={src}
        width={width}
        height={height}
        alt={node.meta.label?.text ?? ''}
        className="max-w-full rounded-md border border-line-strong bg-[#fff]"
      />
    )
  }
  if (node.type === 'text') {
    const label = ownLabel ?? node.meta.label?.text
    return (
      <div className="grid gap-1.5">
        {label && <p className="leading-4.5 font-medium">{label}</p>}
        <CopyField label={label ?? 'Text'} value={node.attributes.text.text} wrap />
        {hint && <p className="text-12 text-ink-3">{hint}</p>}
      </div>
    )
  }
  return null
}
