/** Finds the sign-in provider of a workspace by email address. */
import { findSignInProvider } from '@glacis/contract/sign-in-provider'
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { errorAdvice, fieldProblem } from '#api/advice.ts'
import { call } from '#api/call.ts'
import { query } from '#api/query.ts'
import { Button } from '#ui/button.tsx'
import { TextField } from '#ui/field.tsx'

/** Whether any workspace offers it. A failure doesn't matter here: the link is shown, and reports it when used. */
const offer = queryOptions({
  ...query(findSignInProvider, {}),
  queryFn: ({ signal }) => call(findSignInProvider, {}, { signal, isFailureShown: true }),
})

/** Renders nothing if no workspace offers single sign-on. @param returnTo where to continue after signing in */
export function OrganizationSignIn({ returnTo }: { readonly returnTo: string | undefined }) {
  const [isOpen, setIsOpen] = useState(false)
  const { data, isPending } = useQuery(offer)
  const [email, setEmail] = useState('')
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => form.current?.querySelector('input')?.focus(), [isOpen])
  const finding = useMutation({
    mutationFn: (address: string) => call(findSignInProvider, { email: address }, { isFailureShown: true }),
    onSuccess: ({ provider }) => provider && location.assign(continueAt(provider.signInUrl, returnTo)),
  })
  if (isPending || data?.isOffered === false) return null
  if (!isOpen) {
    return (
      <Button variant="link" size="sm" onClick={() => setIsOpen(true)}>
        Use single sign-on
      </Button>
    )
  }
  const find = (event: FormEvent) => {
    event.preventDefault()
    finding.mutate(email.trim())
  }
  const problem = problemOf(finding)
  return (
    <form ref={form} noValidate onSubmit={find} className="grid gap-3 text-left">
      <TextField
        label="Work email"
        type="email"
        autoComplete="email"
        value={email}
        state={problem ? 'error' : 'default'}
        messages={problem ? [problem] : []}
        onChange={({ target }) => {
          setEmail(target.value)
          finding.reset()
        }}
      />
      <Button
        type="submit"
        block
        loading={finding.isPending || Boolean(finding.data?.provider)}
        disabled={email.trim() === ''}
      >
        Continue
      </Button>
    </form>
  )
}

interface Finding {
  readonly error: Error | null
  readonly data: { readonly provider?: object | undefined } | undefined
}

function problemOf({ error, data }: Finding): string | undefined {
  if (fieldProblem(error, 'email')) return 'Enter a complete email address.'
  if (error) return errorAdvice(error)
  if (data && !data.provider) return 'No workspace offers single sign-on for this address. Sign in another way.'
  return undefined
}

function continueAt(signInUrl: string, returnTo: string | undefined): string {
  const url = new URL(signInUrl)
  if (returnTo) url.searchParams.set('return_to', returnTo)
  return url.href
}
