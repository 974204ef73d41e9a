import type { Flow, InputNode, UiNode } from '@glacis/contract/identity'
import { ArrowLeft, Fingerprint, KeyRound, LogIn } from 'lucide-react'
import { Fragment, type ReactNode, type SubmitEvent, useCallback, useEffect, useRef, useState } from 'react'
import { bodyOf, isButton, sendsAgain, type Submitter } from '#identity/body.ts'
import { BotChallenge, hasBotChallenge } from '#identity/bot-challenge.tsx'
import { type FlowKind } from '#identity/client.ts'
import { NodeContent, NodeField, type OwnErrors } from '#identity/node-field.tsx'
import { byGroup, fieldState, inputsOf, isNamePart, nameFirst } from '#identity/nodes.ts'
import { ScriptNode } from '#identity/script-node.tsx'
import { runClick } from '#identity/triggers.ts'
import { useFlow } from '#identity/use-flow.ts'
import { cx } from '#lib/cx.ts'
import { addToast } from '#lib/toasts.ts'
import { buttonClass, type ButtonVariant } from '#ui/button.tsx'
import { Note } from '#ui/note.tsx'
import { Spinner } from '#ui/spinner.tsx'

type Group = UiNode['group']
/** Groups whose fields belong to every way of signing in. */
const shared: ReadonlySet<Group> = new Set(['default', 'profile', 'captcha'])
/** Groups that are a button alone. */
const quiet: ReadonlySet<Group> = new Set(['oidc', 'webauthn', 'passkey'])

/**
 * A flow as a form: whatever nodes the service sends, grouped, with their messages. Nothing here knows
 * a field by heart. `asides` put a link beside a field's label, by the field's name.
 */
export function FlowForm({
  kind,
  flow,
  asides = {},
}: {
  readonly kind: FlowKind
  readonly flow: Flow
  readonly asides?: Readonly<Record<string, ReactNode>>
}) {
  const { submit, isPending, trouble } = useFlow(kind, flow)
  const [ownErrors, setOwnErrors] = useState<OwnErrors>(new Map())
  const [pressed, setPressed] = useState('')
  const [challenge, setChallenge] = useState<string>()
  const form = useFlowForm(flow, (fields) => submit(bodyOf(flow.ui.nodes, fields, scriptedSubmitter(fields))))
  const isBlocked = hasBotChallenge() && !challenge
  const groups = byGroup(flow.ui.nodes)
  const primary = primaryOf(groups)

  function press(element: HTMLFormElement, submitter: Submitter): void {
    if (isPending || isBlocked) return
    const errors = ownErrorsOf(element, flow.ui.nodes, submitter)
    setOwnErrors(errors)
    setPressed(keyOf(submitter.name, submitter.value))
    if (errors.size > 0) focusField(element, [...errors.keys()][0])
    else submit(bodyOf(flow.ui.nodes, new FormData(element), submitter))
  }
  function enter(event: SubmitEvent<HTMLFormElement>): void {
    event.preventDefault()
    if (primary.button) press(event.currentTarget, submitterOf(primary.button))
  }

  return (
    <form
      ref={form}
      action={flow.ui.action}
      method={flow.ui.method}
      noValidate
      onSubmit={enter}
      onInput={({ target }) => setOwnErrors(withoutField(ownErrors, target))}
      className="mt-7"
    >
      <FlowNotes flow={flow} trouble={trouble} />
      {[...groups].map(([group, nodes], index) => (
        <Fragment key={group}>
          {needsDivider(group, index, groups) && <Or />}
          <fieldset
            data-group={group}
            aria-label={group === 'oidc' ? 'Other services' : undefined}
            className={cx(
              'grid grid-cols-2 gap-x-3',
              quiet.has(group) ? 'gap-y-2' : 'gap-y-4',
              isVisible(nodes) && hasVisibleBefore(index, groups) && (quiet.has(group) ? 'mt-2' : 'mt-4'),
            )}
          >
            {nameFirst(nodes).map((node, position) => (
              <FlowNode
                key={`${node.type}:${node.type === 'input' ? keyOf(node.attributes.name, isButton(node) ? node.attributes.value : '') : position}`}
                node={node}
                ownErrors={ownErrors}
                asides={asides}
                isFirst={node === primary.focus}
                button={(button) => (
                  <FlowButton
                    node={button}
                    variant={button === primary.button ? 'primary' : button.group === 'oidc' ? 'secondary' : 'ghost'}
                    onPress={(element) => press(element, submitterOf(button))}
                    disabled={isPending || (isBlocked && button.attributes.name !== 'screen')}
                    loading={isPending && pressed === keyOf(button.attributes.name, button.attributes.value)}
                    before={button === primary.button && hasBotChallenge() && <BotChallenge onChange={setChallenge} />}
                  />
                )}
              />
            ))}
          </fieldset>
        </Fragment>
      ))}
    </form>
  )
}

function FlowNode({
  node,
  ownErrors,
  asides,
  isFirst,
  button,
}: {
  readonly node: UiNode
  readonly ownErrors: OwnErrors
  readonly asides: Readonly<Record<string, ReactNode>>
  readonly isFirst: boolean
  readonly button: (node: InputNode) => ReactNode
}) {
  if (node.type === 'script') return <ScriptNode node={node} />
  if (node.type === 'a') {
    return (
      <a
        href={node.attributes.href}
        className={cx(buttonClass({ variant: 'primary', block: true }), 'col-span-2 max-md:h-11')}
      >
        {node.attributes.title.text || node.meta.label?.text}
      </a>
    )
  }
  if (node.type !== 'input')
    return (
      <div className="col-span-2 empty:hidden">
        <NodeContent node={node} />
      </div>
    )
  if (isButton(node)) return button(node)
  if (node.attributes.type === 'hidden') return <HiddenField node={node} />
  return (
    <div className={cx('min-w-0', isNamePart(node) ? 'col-span-1' : 'col-span-2')}>
      <NodeField node={node} ownErrors={ownErrors} aside={asides[node.attributes.name]} focusFirst={isFirst} />
    </div>
  )
}

/** What is wrong with a hidden field has to stand somewhere. */
function HiddenField({ node }: { readonly node: InputNode }) {
  return (
    <>
      <NodeField node={node} />
      {node.messages.map(({ id, text }) => (
        <Note key={id} variant="red" className="col-span-2">
          {node.meta.label?.text && `${node.meta.label.text}: `}
          {text}
        </Note>
      ))}
    </>
  )
}

function FlowButton({
  node,
  variant,
  disabled,
  loading,
  before,
  onPress,
}: {
  readonly node: InputNode
  readonly variant: ButtonVariant
  readonly onPress: (form: HTMLFormElement) => void
  readonly disabled: boolean
  readonly loading: boolean
  readonly before: ReactNode
}) {
  const { name, value, onclick, onclickTrigger } = node.attributes
  // Enter presses the first submit button of a form, so only the one that stands out is one.
  const isDefault = variant === 'primary' && !onclick && !onclickTrigger
  const click = ({ currentTarget: { form } }: { currentTarget: HTMLButtonElement }) => {
    if (!onclick && !onclickTrigger) return form ? onPress(form) : undefined
    runClick(node).catch((error: unknown) => {
      addToast('error', {
        title: 'Oops, something went wrong',
        message: error instanceof Error ? error.message : String(error),
      })
    })
  }
  return (
    <div className={cx('col-span-2', variant === 'primary' && 'mt-1')}>
      {before}
      <button
        type={isDefault ? 'submit' : 'button'}
        name={name}
        value={value === undefined ? '' : String(value)}
        data-group={node.group}
        disabled={disabled || node.attributes.disabled || loading}
        aria-busy={loading || undefined}
        onClick={isDefault ? undefined : click}
        className={cx(buttonClass({ variant, block: true }), 'max-md:h-11', Boolean(before) && 'mt-5')}
      >
        {loading ? <Spinner /> : iconOf(node)}
        {node.meta.label?.text || node.attributes.label?.text || name}
      </button>
      {node.messages.map(({ id, text }) => (
        <p key={id} className="mt-1.5 text-12 text-red-ink">
          {text}
        </p>
      ))}
    </div>
  )
}

function FlowNotes({ flow, trouble }: { readonly flow: Flow; readonly trouble: string | undefined }) {
  const notes = flow.ui.messages
  if (notes.length === 0 && !trouble) return null
  const colours = { default: 'main', error: 'red', success: 'green' } as const
  return (
    <div className="mb-5 grid gap-2">
      {notes.map((message) => (
        <Note key={message.id} variant={colours[fieldState([message])]}>
          {message.text}
        </Note>
      ))}
      {trouble && <Note variant="red">{trouble}</Note>}
    </div>
  )
}

function Or() {
  return (
    <div className="my-5 flex items-center gap-3 text-12 text-ink-3 before:flex-1 before:border-t before:border-line after:flex-1 after:border-t after:border-line">
      or
    </div>
  )
}

function iconOf(node: InputNode): ReactNode {
  if (node.attributes.name === 'screen') return <ArrowLeft aria-hidden="true" />
  if (node.group === 'passkey') return <Fingerprint aria-hidden="true" />
  if (node.group === 'webauthn') return <KeyRound aria-hidden="true" />
  return node.group === 'oidc' ? <LogIn aria-hidden="true" /> : null
}

interface Primary {
  readonly button: InputNode | undefined
  /** The first field that a person fills in. */
  readonly focus: InputNode | undefined
}

/** The one button that stands out: the first way on that is not a provider, a key or a step back. */
function primaryOf(groups: ReadonlyMap<Group, readonly UiNode[]>): Primary {
  const inputs = [...groups.values()].flatMap((nodes) => inputsOf(nameFirst(nodes)))
  const buttons = inputs.filter((node) => node.attributes.type === 'submit')
  const onward = buttons.filter(
    (node) => !quiet.has(node.group) && node.attributes.name !== 'screen' && !sendsAgain(node.attributes),
  )
  const fields = inputs.filter((node) => !isButton(node) && node.attributes.type !== 'hidden')
  const wrong = fields.find((node) => fieldState(node.messages) === 'error')
  return { button: onward[0] ?? buttons.find((node) => node.group !== 'oidc'), focus: wrong ?? fields[0] }
}

function hasFields(nodes: readonly UiNode[]): boolean {
  return inputsOf(nodes).some((node) => !isButton(node) && node.attributes.type !== 'hidden')
}
function isVisible(nodes: readonly UiNode[]): boolean {
  return nodes.some((node) => node.type !== 'script' && !(node.type === 'input' && node.attributes.type === 'hidden'))
}

function hasVisibleBefore(index: number, groups: ReadonlyMap<Group, readonly UiNode[]>): boolean {
  return [...groups.values()].slice(0, index).some(isVisible)
}

/** Providers stand apart from the form, and so do two ways on that each have fields of their own. */
function needsDivider(group: Group, index: number, groups: ReadonlyMap<Group, readonly UiNode[]>): boolean {
  const before = [...groups].slice(0, index)
  if (!isVisible(groups.get(group) ?? [])) return false
  const visibleBefore = before.filter(([, nodes]) => isVisible(nodes))
  if (visibleBefore.length > 0 && visibleBefore.every(([name]) => name === 'oidc')) return true
  return (
    !shared.has(group) &&
    hasFields(groups.get(group) ?? []) &&
    before.some(([name, nodes]) => !shared.has(name) && hasFields(nodes))
  )
}

function keyOf(name: string, value: unknown): string {
  return `${name}=${String(value ?? '')}`
}

function submitterOf({ group, attributes: { name, value } }: InputNode): Submitter {
  return { group, name, value: String(value ?? '') }
}

/** Hidden fields that the service's script fills before it submits the form. */
const scripted: readonly (readonly [string, Group])[] = [
  ['passkey_login', 'passkey'],
  ['passkey_register', 'passkey'],
  ['passkey_settings_register', 'passkey'],
  ['webauthn_login', 'webauthn'],
  ['webauthn_register', 'webauthn'],
]
function scriptedSubmitter(fields: FormData): Submitter {
  const filled = scripted.find(([name]) => Boolean(fields.get(name)))
  return { group: filled?.[1] ?? 'default', name: '', value: '' }
}

/**
 * The form element. The service's script calls `form.submit()`, which would leave the page;
 * here it is taken like any other submission.
 */
export function useFlowForm(flow: Flow, onScript: (fields: FormData) => void) {
  const element = useRef<HTMLFormElement>(null)
  const latest = useRef(onScript)
  useEffect(() => {
    latest.current = onScript
  })
  useEffect(() => {
    const wrong = inputsOf(flow.ui.nodes).find((node) => fieldState(node.messages) === 'error')
    if (wrong && element.current) focusField(element.current, wrong.attributes.name)
  }, [flow])
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

function focusField(form: HTMLFormElement, name: string | undefined): void {
  const field = [...form.elements].find((element) => 'name' in element && element.name === name)
  if (!(field instanceof HTMLInputElement)) return
  const target = field.type === 'hidden' ? field.closest('fieldset')?.querySelector('input') : field
  target?.focus()
}

/** What can be said without asking the service, for the fields that would be sent. */
export function ownErrorsOf(form: HTMLFormElement, nodes: readonly UiNode[], submitter: Submitter): OwnErrors {
  const errors = new Map<string, string>()
  const groups = new Set<Group>(['default', submitter.group])
  for (const { attributes, group } of inputsOf(nodes)) {
    if (attributes.type === 'hidden' || !groups.has(group) || quiet.has(submitter.group)) continue
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

function withoutField(errors: OwnErrors, field: EventTarget): OwnErrors {
  if (!(field instanceof HTMLInputElement)) return errors
  const names = [field.name, ...codeNamesOf(field)]
  if (!names.some((name) => errors.has(name))) return errors
  return new Map([...errors].filter(([name]) => !names.includes(name)))
}
function codeNamesOf(field: HTMLInputElement): string[] {
  const carrier = field.closest('fieldset')?.querySelector<HTMLInputElement>('input[type=hidden][name]')
  return carrier ? [carrier.name] : []
}
