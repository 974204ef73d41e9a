/** Form for a pasted list outside a panel, with a link back instead of Cancel. */
import { type FormEvent, type ReactNode, useRef } from 'react'
import { addToast } from '#ui/toasts.tsx'
import type { TargetDraft } from '#targets/form.ts'
import { AddressListFields, AddressListProgress, AddressListSubmit } from '#targets/address-list-fields.tsx'
import { SingleTargetLink } from '#targets/list-links.tsx'
import { focusFirstInvalid } from '#targets/debounce.ts'
import { useAddressList } from '#targets/use-address-list.ts'
import { Button } from '#ui/button.tsx'

interface AddressListFormProps {
  readonly draft: Pick<TargetDraft, 'period' | 'agentId' | 'tags'>
  /** Initial text of the list. */
  readonly text: string
  /** Returns to the single-target form with the remaining text. */
  readonly onBack: (text: string) => void
  /** Called when the list is empty. */
  readonly onDone: () => void
  /** Fields that apply to all targets. */
  readonly children: ReactNode
}

export function AddressListForm({ draft, text, onBack, onDone, children }: AddressListFormProps) {
  const form = useRef<HTMLFormElement>(null)
  const many = useAddressList({
    draft,
    text,
    onDone: ({ message }) => {
      addToast('success', { title: 'Success', message })
      onDone()
    },
  })
  function submit(event: FormEvent): void {
    event.preventDefault()
    void many.send().then(() => focusFirstInvalid(form.current))
  }
  return (
    <form ref={form} noValidate onSubmit={submit} className="grid content-start gap-5">
      <AddressListFields many={many} aside={many.isBusy || <SingleTargetLink onPress={() => onBack(many.text)} />}>
        {children}
      </AddressListFields>
      <div className="flex flex-wrap items-center gap-2">
        <AddressListSubmit many={many} />
        {many.isBusy && <Button onClick={many.stop}>Stop</Button>}
        <AddressListProgress many={many} />
      </div>
    </form>
  )
}
