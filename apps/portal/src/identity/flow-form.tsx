import type { Flow, InputNode } from '@glacis/contract/identity'
import { Fragment, type ReactNode, type SubmitEvent, useMemo, useState } from 'react'
import { bodyOf, isButton, type Submitter } from '#identity/body.ts'
import { BotChallenge, hasBotChallenge } from '#identity/bot-challenge.tsx'
import type { FlowKind } from '#identity/flow-kind.ts'
import { FlowButton } from '#identity/flow-button.tsx'
import { FlowNode } from '#identity/flow-node.tsx'
import { focusFirstField, validateFields, useFlowForm, withoutField } from '#identity/form-element.ts'
import { type Group, hasVisibleBefore, isVisible, needsDivider, primaryOf } from '#identity/groups.ts'
import type { ClientErrors } from '#identity/node-field.tsx'
import { byGroup, fieldState, isButtonGroup, namesFirst, withCodeMessages, withoutCodeSent } from '#identity/nodes.ts'
import { useFlow } from '#identity/use-flow.ts'
import { cx } from '#lib/cx.ts'
import { Note } from '#ui/note.tsx'

/** Flows that require a bot challenge. The settings flow already requires a session. */
const challengedFlows: ReadonlySet<FlowKind> = new Set(['login', 'registration', 'recovery', 'verification'])

/**
 * Renders a flow's nodes as a form, grouped, with their messages. It doesn't depend on specific fields.
 * `asides` adds a link next to a field's label, by field name.
 */
export function FlowForm({
  kind,
  flow: answered,
  asides = {},
}: {
  readonly kind: FlowKind
  readonly flow: Flow
  readonly asides?: Readonly<Record<string, ReactNode>>
}) {
  const flow = useMemo(() => withoutCodeSent(withCodeMessages(answered)), [answered])
  const { submit, isPending, problem, responseCount } = useFlow(kind, flow)
  const [clientErrors, setClientErrors] = useState<ClientErrors>(new Map())
  const [pressed, setPressed] = useState('')
  const [challenge, setChallenge] = useState<string>()
  const [round, setRound] = useState(0)
  const form = useFlowForm(flow, responseCount, (fields) => {
    // A passkey from browser autofill may be submitted while a button press is pending.
    if (!isPending) send(bodyOf(flow.ui.nodes, fields, scriptedSubmitter(fields)))
  })
  // The challenge was passed before the code was sent.
  const hasCode = kind === 'verification' && flow.state === 'sent_email'
  const isChallenged = hasBotChallenge() && challengedFlows.has(kind) && !hasCode
  const isBlocked = isChallenged && !challenge
  const groups = byGroup(flow.ui.nodes)
  const primary = primaryOf(groups)

  /** A challenge token is valid for one submission, so each submission resets the challenge. */
  function send(body: object): void {
    submit(body)
    setChallenge(undefined)
    setRound((before) => before + 1)
  }
  function press(element: HTMLFormElement, submitter: Submitter): void {
    if (isPending || isBlocked) return
    const errors = validateFields(element, flow.ui.nodes, submitter)
    setClientErrors(errors)
    setPressed(keyOf(submitter.name, submitter.value))
    if (errors.size > 0) focusFirstField(element, [...errors.keys()])
    else send(bodyOf(flow.ui.nodes, new FormData(element), submitter))
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
      onInput={({ target }) => setClientErrors(withoutField(clientErrors, target))}
      className="mt-7"
    >
      <FlowNotes flow={flow} problem={problem} />
      {[...groups].map(([group, nodes], index) => (
        <Fragment key={group}>
          {needsDivider(group, index, groups) && <Divider />}
          <fieldset
            data-group={group}
            aria-label={group === 'oidc' ? 'Social providers' : undefined}
            className={cx(
              'grid grid-cols-2 gap-x-3',
              isButtonGroup(group) ? 'gap-y-2' : 'gap-y-4',
              isVisible(nodes) && hasVisibleBefore(index, groups) && (isButtonGroup(group) ? 'mt-2' : 'mt-4'),
            )}
          >
            {namesFirst(nodes).map((node, position) => (
              <FlowNode
                key={`${node.type}:${node.type === 'input' ? keyOf(node.attributes.name, isButton(node) ? node.attributes.value : '') : position}`}
                node={node}
                clientErrors={clientErrors}
                responseCount={responseCount}
                asides={asides}
                isFirst={node === primary.focus}
                button={(button) => (
                  <FlowButton
                    node={button}
                    variant={button === primary.button ? 'primary' : button.group === 'oidc' ? 'secondary' : 'ghost'}
                    onPress={(element) => press(element, submitterOf(button))}
                    disabled={isPending || (isBlocked && button.attributes.name !== 'screen')}
                    loading={isPending && pressed === keyOf(button.attributes.name, button.attributes.value)}
                    before={
                      button === primary.button && isChallenged && <BotChallenge key={round} onChange={setChallenge} />
                    }
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

function FlowNotes({ flow, problem }: { readonly flow: Flow; readonly problem: string | undefined }) {
  const notes = flow.ui.messages
  if (notes.length === 0 && !problem) return null
  const noteVariants = { default: 'main', error: 'red', success: 'green' } as const
  return (
    <div className="mb-5 grid gap-2">
      {notes.map((message) => (
        <Note key={message.id} variant={noteVariants[fieldState([message])]}>
          {message.text}
        </Note>
      ))}
      {problem && <Note variant="red">{problem}</Note>}
    </div>
  )
}

function Divider() {
  return (
    <div className="my-5 flex items-center gap-3 text-12 text-ink-3 before:flex-1 before:border-t before:border-line after:flex-1 after:border-t after:border-line">
      or
    </div>
  )
}

function keyOf(name: string, value: unknown): string {
  return `${name}=${String(value ?? '')}`
}

function submitterOf({ group, attributes: { name, value } }: InputNode): Submitter {
  return { group, name, value: String(value ?? '') }
}

/** Hidden fields that the WebAuthn script fills before it submits the form. */
const scriptedFields: readonly (readonly [string, Group])[] = [
  ['passkey_login', 'passkey'],
  ['passkey_register', 'passkey'],
  ['passkey_settings_register', 'passkey'],
  ['webauthn_login', 'webauthn'],
  ['webauthn_register', 'webauthn'],
]
function scriptedSubmitter(fields: FormData): Submitter {
  const filled = scriptedFields.find(([name]) => Boolean(fields.get(name)))
  return { group: filled?.[1] ?? 'default', name: '', value: '' }
}
