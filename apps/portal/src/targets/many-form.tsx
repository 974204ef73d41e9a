/** A pasted list as a form on a page, where no panel holds it: it has nothing to cancel, only a way back to one. */
import { type FormEvent, type ReactNode, useRef } from 'react'
import { addToast } from '#lib/toasts.ts'
import type { TargetDraft } from '#targets/form.ts'
import { ManyFields, ManyProgress, ManySubmit } from '#targets/many-fields.tsx'
import { OnlyOne } from '#targets/paste-list.tsx'
import { focusFirst } from '#targets/settled.ts'
import { useMany } from '#targets/use-many.ts'
import { Button } from '#ui/button.tsx'

interface ManyFormProps {
  readonly draft: Pick<TargetDraft, 'period' | 'agentId' | 'tags'>
  /** What the list begins with. */
  readonly text: string
  /** Back to one target, with what is left of the list. */
  readonly onBack: (text: string) => void
  /** Nothing of the list is left. */
  readonly onDone: () => void
  /** What holds for all of them. */
  readonly children: ReactNode
}

export function ManyForm({ draft, text, onBack, onDone, children }: ManyFormProps) {
  const form = useRef<HTMLFormElement>(null)
  const many = useMany({
    draft,
    text,
    onDone: ({ message }) => {
      addToast('success', { title: 'Success', message })
      onDone()
    },
  })
  function submit(event: FormEvent): void {
    event.preventDefault()
    void many.send().then(() => focusFirst(form.current))
  }
  return (
    <form ref={form} noValidate onSubmit={submit} className="grid content-start gap-5">
      <ManyFields many={many} aside={many.isBusy || <OnlyOne onPress={() => onBack(many.text)} />}>
        {children}
      </ManyFields>
      <div className="flex flex-wrap items-center gap-2">
        <ManySubmit many={many} />
        {many.isBusy && <Button onClick={many.stop}>Stop</Button>}
        <ManyProgress many={many} />
      </div>
    </form>
  )
}
