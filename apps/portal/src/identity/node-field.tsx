import type { InputNode, UiNode } from '@glacis/contract/identity'
import { type ReactNode, useEffect } from 'react'
import { codeNames, fieldState } from '#identity/nodes.ts'
import { runLoad } from '#identity/triggers.ts'
import { CodeInput } from '#ui/code-input.tsx'
import { CopyField } from '#ui/copy-field.tsx'
import { Checkbox, FieldMessages, TextField } from '#ui/field.tsx'

/** What a form found wrong by itself, by the name of the field. */
export type OwnErrors = ReadonlyMap<string, string>

/** One field as the service describes it, with everything that is said about it below. */
export function NodeField({
  node,
  ownErrors,
  answers = 0,
  aside,
  disabled,
  focusFirst = false,
}: {
  readonly node: InputNode
  readonly ownErrors?: OwnErrors | undefined
  /** How often the service has answered: a code that it refused is gone from the boxes. */
  readonly answers?: number
  readonly aside?: ReactNode
  readonly disabled?: boolean | undefined
  /** Takes the focus when its form appears. */
  readonly focusFirst?: boolean
}) {
  const { attributes, messages, meta } = node
  const { name, type, value } = attributes
  const own = ownErrors?.get(name)
  const texts = own ? [own] : messages.map(({ text }) => text)
  const state = own ? 'error' : fieldState(messages)
  const label = attributes.label?.text || meta.label?.text || name
  const isDisabled = attributes.disabled || disabled
  const isRefused = fieldState(messages) === 'error'

  if (type === 'hidden') return <HiddenNode node={node} />
  if (codeNames.has(name)) {
    return (
      <CodeInput
        key={isRefused ? `refused ${answers}` : String(value ?? '')}
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

/** A value that the form carries; a script may change it, so React never writes it again. */
function HiddenNode({ node }: { readonly node: InputNode }) {
  const { name, value, onload, onloadTrigger } = node.attributes
  useEffect(() => {
    // A browser without passkeys has nothing to offer here; the other ways to sign in stand beside it.
    if (onload || onloadTrigger) runLoad(node).catch(() => {})
    // Once per appearance of the node, as its `onload` says.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [onload, onloadTrigger])
  return <input type="hidden" key={String(value ?? '')} name={name} defaultValue={String(value ?? '')} />
}

/** What a new password must be, before the service says so. */
function hintFor({ attributes: { autocomplete, type } }: InputNode): string | undefined {
  return type === 'password' && autocomplete === 'new-password' ? 'At least 8 characters.' : undefined
}

/** Names of people are known to browsers, though the service has no words for them. */
function autocompleteOf({ attributes: { name, autocomplete } }: InputNode): string | undefined {
  if (autocomplete) return autocomplete
  const known: Readonly<Record<string, string>> = {
    'traits.name.first': 'given-name',
    'traits.name.last': 'family-name',
    email: 'email',
    identifier: 'username',
  }
  return known[name]
}

interface NodeContentProps {
  readonly node: UiNode
  /** Instead of the service's own words, where the page around it says the rest. */
  readonly label?: string
  readonly hint?: string
}

/** Text, image or link of a flow. Scripts and unknown nodes show nothing. */
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
