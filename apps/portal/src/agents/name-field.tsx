/** The name of an agent, as both panels ask for it. */
import { useState } from 'react'
import { nameProblem } from '#agents/words.ts'
import { ApiFailure } from '#api/failure.ts'
import { TextField } from '#ui/field.tsx'

interface NameFieldProps {
  readonly name: ReturnType<typeof useAgentName>
  readonly hint: string
  readonly label?: string
}

/** A name that is being typed, and what is wrong with it. */
export function useAgentName(initial: string) {
  const [value, setValue] = useState(initial)
  const [problem, setProblem] = useState<string>()
  return {
    value,
    problem,
    type(text: string) {
      setValue(text)
      setProblem(undefined)
    },
    /** The name as it may be sent; undefined where it may not, and the field then says why. */
    checked(): string | undefined {
      const found = nameProblem(value)
      setProblem(found)
      return found ? undefined : value.trim()
    },
    /** Shows what the server says of the name. */
    refuse: (error: Error) => setProblem(nameErrorOf(error)),
  }
}

export function NameField({ name, hint, label = 'Name' }: NameFieldProps) {
  return (
    <TextField
      label={label}
      name="name"
      required
      mono
      data-autofocus
      maxLength={256}
      hint={hint}
      value={name.value}
      onChange={(event) => name.type(event.currentTarget.value)}
      state={name.problem ? 'error' : 'default'}
      messages={name.problem ? [name.problem] : []}
    />
  )
}

/** What the server says of the name; a used-up quota is told beside it too. */
function nameErrorOf(error: Error): string | undefined {
  if (!(error instanceof ApiFailure)) return undefined
  const said = error.fieldErrors.get('name')
  return said ?? (error.status === 429 ? error.said || error.statusText : undefined)
}
