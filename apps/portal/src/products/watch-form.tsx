/** The panel for watching a technology, whether or not it was found on a host. */
import type { NamedSoftware } from '@glacis/contract/product'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { errorAdvice } from '#api/advice.ts'
import { addToast } from '#ui/toasts.tsx'
import { thresholdExplanation, thresholdLabel } from '#products/notification-threshold.ts'
import { software, watch } from '#products/queries.ts'
import { vendorName } from '#products/labels.ts'
import { Button } from '#ui/button.tsx'
import { SlideOver } from '#ui/dialog.tsx'
import { FieldMessages, TextField } from '#ui/field.tsx'
import { RadioCard } from '#ui/radio-card.tsx'
import { Slider } from '#ui/slider.tsx'
import type { z } from 'zod/mini'

type Software = z.infer<typeof NamedSoftware>

interface WatchFormProps {
  readonly open: boolean
  readonly onClose: () => void
}

export function WatchForm({ open, onClose }: WatchFormProps) {
  return open ? <Panel onClose={onClose} /> : null
}

/** Shorter texts match too many products. */
const minLetters = 2

function Panel({ onClose }: Pick<WatchFormProps, 'onClose'>) {
  const formId = useId()
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState<Software>()
  const [version, setVersion] = useState('')
  const [score, setScore] = useState(7)
  const [problem, setProblem] = useState<string>()
  const watching = useMutation(watch)
  function submit(event: FormEvent): void {
    event.preventDefault()
    if (!chosen) return setProblem('Choose a technology from the list')
    const onSuccess = () => {
      addToast('success', { title: 'Success', message: `You'll be notified about new threats to ${chosen.name}.` })
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
      problem={errorAdvice(watching.error)}
      title="Watch a technology"
      description="Get notified about new vulnerabilities in this software, even if no asset runs it."
      footer={
        <>
          <Button onClick={onClose} disabled={watching.isPending}>
            Cancel
          </Button>
          <Button variant="primary" type="submit" call="watchProduct" form={formId} loading={watching.isPending}>
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
            hint="At least two characters, such as nginx or exchange server"
            state={problem ? 'error' : 'default'}
            messages={problem ? [problem] : []}
            onChange={(event) => {
              setText(event.currentTarget.value)
              setChosen(undefined)
              setProblem(undefined)
            }}
          />
          <SoftwareMatches text={text} chosen={chosen} onChoose={setChosen} />
        </div>
        <TextField
          label="Version"
          optional
          mono
          maxLength={100}
          value={version}
          hint="Leave empty to watch every version."
          onChange={(event) => setVersion(event.currentTarget.value)}
        />
        <div className="grid gap-1.5">
          <Slider label="Notify from" min={0} max={10} step={0.1} value={score} onChange={setScore} />
          <p className="text-12 text-ink-3">
            {thresholdLabel(score)}. {thresholdExplanation}
          </p>
        </div>
      </form>
    </SlideOver>
  )
}

interface SoftwareMatchesProps {
  readonly text: string
  readonly chosen: Software | undefined
  readonly onChoose: (software: Software) => void
}
function SoftwareMatches({ text, chosen, onChoose }: SoftwareMatchesProps) {
  const searchText = text.trim()
  const { data, isFetching } = useQuery({ ...software(searchText), enabled: searchText.length >= minLetters })
  if (searchText.length < minLetters) return null
  if (data?.software.length === 0) {
    return <FieldMessages messages={[isFetching ? 'Searching…' : 'No matching technologies.']} state="default" />
  }
  return (
    <div role="radiogroup" aria-label="Technologies found" className="grid max-h-72 gap-2 overflow-y-auto p-px">
      {data?.software.map((item) => (
        <RadioCard
          key={item.wfn.text}
          name="software"
          label={item.name}
          hint={vendorName(item.wfn.vendor)}
          checked={chosen?.wfn.text === item.wfn.text}
          onChange={() => onChoose(item)}
        />
      ))}
    </div>
  )
}
