import type { InputNode, UiNode } from '@glacis/contract/identity'
import type { ReactNode } from 'react'
import { isButton } from '#identity/body.ts'
import { NodeContent, NodeField, type ClientErrors } from '#identity/node-field.tsx'
import { isNamePart } from '#identity/nodes.ts'
import { ScriptNode } from '#identity/script-node.tsx'
import { cx } from '#lib/cx.ts'
import { buttonClass } from '#ui/button.tsx'
import { Note } from '#ui/note.tsx'

/** Renders one node of a flow. Buttons are rendered by `button`, because they need the form's state. */
export function FlowNode({
  node,
  clientErrors,
  responseCount,
  asides,
  isFirst,
  button,
}: {
  readonly node: UiNode
  readonly clientErrors: ClientErrors
  readonly responseCount: number
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
      <NodeField
        node={node}
        clientErrors={clientErrors}
        responseCount={responseCount}
        aside={asides[node.attributes.name]}
        focusFirst={isFirst}
      />
    </div>
  )
}

/** A hidden field with its errors, which would otherwise be invisible. */
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
