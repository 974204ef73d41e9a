/** Name field shared by the agent forms. */
import { useState } from 'react'
import { nameError } from '#agents/labels.ts'
import { fieldProblem } from '#api/advice.ts'
import { ApiFailure } from '#api/failure.ts'
import { TextField } from '#ui/field.tsx'

interface NameFieldProps {
  readonly name: ReturnType<typeof useAgentName>
  readonly hint: string
  readonly label?: string
}

/** State of a name field with its validation error. */
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
    /** Validates the name. Returns it trimmed, or undefined after setting the error. */
    validate(): string | undefined {
      const error = nameError(value)
      setProblem(error)
      return error ? undefined : value.trim()
    },
    /** Shows the server's error about the name. */
    setServerError: (error: Error) => setProblem(serverNameError(error)),
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

/** The server's error about the name. An exhausted quota is also shown next to the field. */
function serverNameError(error: Error): string | undefined {
  if (!(error instanceof ApiFailure)) return undefined
  return fieldProblem(error, 'name') ?? (error.status === 429 ? error.serverMessage || error.statusText : undefined)
}
