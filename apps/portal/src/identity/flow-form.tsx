import type { Flow, InputNode } from '@glacis/contract/identity'
import { Fragment, type ReactNode, type SubmitEvent, useMemo, useState } from 'react'
import { bodyOf, isButton, type Submitter } from '#identity/body.ts'
import { BotChallenge, hasBotChallenge } from '#identity/bot-challenge.tsx'
import { type FlowKind } from '#identity/client.ts'
import { FlowButton } from '#identity/flow-button.tsx'
import { FlowNode } from '#identity/flow-node.tsx'
import { focusField, ownErrorsOf, useFlowForm, withoutField } from '#identity/form-element.ts'
import { type Group, hasVisibleBefore, isVisible, needsDivider, primaryOf } from '#identity/groups.ts'
import type { OwnErrors } from '#identity/node-field.tsx'
import { byGroup, fieldState, isQuiet, nameFirst, withCodeMessages, withoutCodeSent } from '#identity/nodes.ts'
import { useFlow } from '#identity/use-flow.ts'
import { cx } from '#lib/cx.ts'
import { Note } from '#ui/note.tsx'

/** What a robot could try. Settings have a session behind them. */
const challenged: ReadonlySet<FlowKind> = new Set(['login', 'registration', 'recovery', 'verification'])

/**
 * A flow as a form: whatever nodes the service sends, grouped, with their messages. Nothing here knows
 * a field by heart. `asides` put a link beside a field's label, by the field's name.
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
  const { submit, isPending, trouble, answers } = useFlow(kind, flow)
  const [ownErrors, setOwnErrors] = useState<OwnErrors>(new Map())
  const [pressed, setPressed] = useState('')
  const [challenge, setChallenge] = useState<string>()
  const [round, setRound] = useState(0)
  const form = useFlowForm(flow, answers, (fields) => {
    // What a browser offers by itself may be taken up in the moment in which a button is pressed.
    if (!isPending) send(bodyOf(flow.ui.nodes, fields, scriptedSubmitter(fields)))
  })
  // Whoever has the code of a mail was challenged before it was sent.
  const hasCode = kind === 'verification' && flow.state === 'sent_email'
  const isChallenged = hasBotChallenge() && challenged.has(kind) && !hasCode
  const isBlocked = isChallenged && !challenge
  const groups = byGroup(flow.ui.nodes)
  const primary = primaryOf(groups)

  /** A challenge is good for one submission; the next one needs another. */
  function send(body: object): void {
    submit(body)
    setChallenge(undefined)
    setRound((before) => before + 1)
  }
  function press(element: HTMLFormElement, submitter: Submitter): void {
    if (isPending || isBlocked) return
    const errors = ownErrorsOf(element, flow.ui.nodes, submitter)
    setOwnErrors(errors)
    setPressed(keyOf(submitter.name, submitter.value))
    if (errors.size > 0) focusField(element, [...errors.keys()][0])
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
              isQuiet(group) ? 'gap-y-2' : 'gap-y-4',
              isVisible(nodes) && hasVisibleBefore(index, groups) && (isQuiet(group) ? 'mt-2' : 'mt-4'),
            )}
          >
            {nameFirst(nodes).map((node, position) => (
              <FlowNode
                key={`${node.type}:${node.type === 'input' ? keyOf(node.attributes.name, isButton(node) ? node.attributes.value : '') : position}`}
                node={node}
                ownErrors={ownErrors}
                answers={answers}
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
