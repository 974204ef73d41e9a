import type { InputNode } from '@glacis/contract/identity'
import { ArrowLeft, Fingerprint, KeyRound, LogIn } from 'lucide-react'
import type { ReactNode } from 'react'
import { runClick } from '#identity/triggers.ts'
import { cx } from '#lib/cx.ts'
import { addToast } from '#ui/toasts.tsx'
import { buttonClass, type ButtonVariant } from '#ui/button.tsx'
import { Spinner } from '#ui/spinner.tsx'

/** A button of a flow, which submits the form or runs a WebAuthn function. */
export function FlowButton({
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
  // Enter activates a form's first submit button, so only the primary button has that type.
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

function iconOf(node: InputNode): ReactNode {
  if (node.attributes.name === 'screen') return <ArrowLeft aria-hidden="true" />
  if (node.group === 'passkey') return <Fingerprint aria-hidden="true" />
  if (node.group === 'webauthn') return <KeyRound aria-hidden="true" />
  return node.group === 'oidc' ? <LogIn aria-hidden="true" /> : null
}
