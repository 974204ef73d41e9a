/** The panel in which somebody asks to be told of a product, whether it was seen or not. */
import type { NamedSoftware } from '@glacis/contract/product'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { adviceOf } from '#api/advice.ts'
import { addToast } from '#lib/toasts.ts'
import { notifyLabel } from '#products/notify.ts'
import { software, watch } from '#products/queries.ts'
import { vendorWords } from '#products/words.ts'
import { Button } from '#ui/button.tsx'
import { SlideOver } from '#ui/dialog.tsx'
import { FieldMessages, TextField } from '#ui/field.tsx'
import { RadioCard } from '#ui/radio-card.tsx'
import { Slider } from '#ui/slider.tsx'
import type { z } from 'zod'

type Software = z.infer<typeof NamedSoftware>

interface WatchFormProps {
  readonly open: boolean
  readonly onClose: () => void
}

export function WatchForm({ open, onClose }: WatchFormProps) {
  return open ? <Panel onClose={onClose} /> : null
}

/** Shorter words name half the world. */
const lettersMin = 2

function Panel({ onClose }: Pick<WatchFormProps, 'onClose'>) {
  const formId = useId()
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState<Software>()
  const [version, setVersion] = useState('')
  const [score, setScore] = useState(7)
  const [problem, setProblem] = useState<string>()
  const watching = useMutation(watch(useQueryClient()))
  function submit(event: FormEvent): void {
    event.preventDefault()
    if (!chosen) return setProblem('Choose a product from the list')
    const onSuccess = () => {
      addToast('success', { title: 'Success', message: `You hear of new threats to ${chosen.name}.` })
      onClose()
    }
    const { part, vendor, product } = chosen.wfn
    const input = {
      name: chosen.name,
      version: version.trim(),
      wfn: { part, vendor, product },
      minNotificationSeverity: score,
    }
    watching.mutate(input, { onSuccess })
  }
  return (
    <SlideOver
      open
      onClose={onClose}
      busy={watching.isPending}
      problem={adviceOf(watching.error)}
      title="Watch a technology"
      description="New threats to it become potential risks, and scans look at what runs it."
      footer={
        <>
          <Button onClick={onClose} disabled={watching.isPending}>
            Cancel
          </Button>
          <Button variant="primary" type="submit" form={formId} loading={watching.isPending}>
            Watch
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={submit} className="grid content-start gap-5">
        <div className="grid gap-2">
          <TextField
            label="Technology"
            data-autofocus
            autoComplete="off"
            spellCheck={false}
            maxLength={100}
            value={text}
            hint="Two letters or more: nginx, exchange server"
            state={problem ? 'error' : 'default'}
            messages={problem ? [problem] : []}
            onChange={(event) => {
              setText(event.currentTarget.value)
              setChosen(undefined)
              setProblem(undefined)
            }}
          />
          <Found text={text} chosen={chosen} onChoose={setChosen} />
        </div>
        <TextField
          label="Version"
          optional
          mono
          maxLength={100}
          value={version}
          hint="Left empty, every version is meant."
          onChange={(event) => setVersion(event.currentTarget.value)}
        />
        <div className="grid gap-1.5">
          <Slider label="Notify from" min={0} max={10} step={0.1} value={score} onChange={setScore} />
          <p className="text-12 text-ink-3">{notifyLabel(score)}. Threats below this score stay silent.</p>
        </div>
      </form>
    </SlideOver>
  )
}

interface FoundProps {
  readonly text: string
  readonly chosen: Software | undefined
  readonly onChoose: (software: Software) => void
}
function Found({ text, chosen, onChoose }: FoundProps) {
  const words = text.trim()
  const { data, isFetching } = useQuery({ ...software(words), enabled: words.length >= lettersMin })
  if (words.length < lettersMin) return null
  if (data?.software.length === 0) {
    return <FieldMessages messages={[isFetching ? 'Looking …' : 'No product of that name is known.']} state="default" />
  }
  return (
    <div role="radiogroup" aria-label="Technologies found" className="grid max-h-72 gap-2 overflow-y-auto p-px">
      {data?.software.map((one) => (
        <RadioCard
          key={one.wfn.text}
          name="software"
          label={one.name}
          hint={vendorWords(one.wfn.vendor)}
          checked={chosen?.wfn.text === one.wfn.text}
          onChange={() => onChoose(one)}
        />
      ))}
    </div>
  )
}
