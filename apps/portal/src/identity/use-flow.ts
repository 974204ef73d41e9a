/** Submitting a flow from a screen, and going where the answer leads. */
import type { Flow } from '@glacis/contract/identity'
import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { type ContinueWith, type FlowAnswer, type FlowKind, submitFlow } from '#identity/client.ts'
import { type Departure, departureFor, IdentityFailure } from '#identity/failure.ts'
import { flowQuery } from '#identity/lifecycle.ts'
import { otherSessionsQuery, sessionKey } from '#identity/session.ts'

export interface FlowSubmission {
  readonly submit: (body: object) => void
  readonly isPending: boolean
  /** How often the service has answered with the flow: what was typed wrong is typed anew then. */
  readonly answers: number
  /** Set when the service could not be reached or does not work now; all else is a message of the flow or leaves the page. */
  readonly trouble: string | undefined
}

/** Where people land when nobody asked for another page. */
const home = '/overview'

/**
 * Submits a flow. A refused form comes back as the flow with its messages; a success leads on:
 * to the verification screen if the service asks for it, else to `return_to`, else to the overview.
 * Settings stay where they are.
 */
export function useFlow(
  kind: FlowKind,
  flow: Flow,
  {
    onSaved,
  }: {
    /** Told when settings were saved. */
    readonly onSaved?: (saved: Flow) => void
  } = {},
): FlowSubmission {
  const client = useQueryClient()
  const router = useRouter()
  const [answers, setAnswers] = useState(0)

  function show(answered: Flow): void {
    setAnswers((before) => before + 1)
    client.setQueryData(flowQuery(kind, answered.id).queryKey, answered)
    if (answered.id !== flow.id) void showFlow(answered.id)
  }
  function showFlow(id: string | undefined): Promise<void> {
    return router.navigate({ to: '.', search: (before: object) => ({ ...before, flow: id }), replace: true })
  }
  async function follow(answer: FlowAnswer): Promise<void> {
    if (kind === 'settings' || kind === 'verification') await refreshPerson(client)
    const verification = kind === 'settings' ? undefined : verificationIn(answer.continueWith)
    if (answer.kind === 'flow') show(answer.flow)
    if (answer.kind === 'flow' && answer.flow.state === 'success') onSaved?.(answer.flow)
    if (verification)
      return router.navigate({ to: '/verification', search: { flow: verification, return_to: flow.return_to } })
    if (answer.kind === 'flow') return
    client.removeQueries({ queryKey: sessionKey })
    const onward = flow.return_to ?? settingsIn(answer.continueWith)
    if (onward) leaveFor(onward)
    else await router.navigate({ to: answer.session ? home : '/login' })
  }
  async function depart(departure: Departure): Promise<void> {
    if (departure.kind === 'address') return leaveFor(departure.href)
    if (departure.kind === 'login') return router.navigate({ to: '/login', search: departure.search })
    if (departure.kind === 'profile') return router.navigate({ to: '/profile' })
    return router.navigate({ to: '/error', search: { id: departure.id } })
  }
  async function recover(error: Error): Promise<void> {
    if (!(error instanceof IdentityFailure)) return
    if (error.useFlowId || error.status === 404 || error.status === 410) return showFlow(error.useFlowId)
    const departure = departureFor(error, location.href, kind)
    if (departure) await depart(departure)
  }

  const submission = useMutation({
    mutationFn: (body: object) => submitFlow(kind, flow.id, body),
    onSuccess: follow,
    onError: recover,
    throwOnError: (error) => error instanceof IdentityFailure && isUnexplained(error, kind),
  })
  return {
    submit: submission.mutate,
    isPending: submission.isPending,
    answers,
    trouble: troubleOf(submission.error),
  }
}

/** Name, address and sessions may all be others than before. */
async function refreshPerson(client: QueryClient): Promise<void> {
  const keys = [sessionKey, otherSessionsQuery().queryKey]
  await Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })))
}

function troubleOf(error: Error | null): string | undefined {
  if (!error) return undefined
  if (!(error instanceof IdentityFailure))
    return 'The identity service could not be reached. Check the connection and try again.'
  return isPassing(error)
    ? 'The identity service does not work now. What you entered is still here: try again in a moment.'
    : undefined
}

/** The service, or what stands before it, is busy or down: what was entered stays, and may be sent again. */
function isPassing({ id, status }: IdentityFailure): boolean {
  return id === '' && (status === 429 || status >= 500)
}

function isUnexplained(error: IdentityFailure, kind: FlowKind): boolean {
  return (
    !isPassing(error) &&
    !error.useFlowId &&
    error.status !== 404 &&
    error.status !== 410 &&
    !departureFor(error, location.href, kind)
  )
}

function verificationIn(steps: ContinueWith): string | undefined {
  return steps.find(({ action }) => action === 'show_verification_ui')?.flow?.id
}

function settingsIn(steps: ContinueWith): string | undefined {
  const step = steps.find(({ action }) => action === 'show_settings_ui')
  return step?.flow && (step.flow.url ?? `/profile?flow=${encodeURIComponent(step.flow.id)}`)
}

/** A whole load, so that nothing of the person before stays on the page. */
function leaveFor(address: string): void {
  location.assign(new URL(address, location.href).href)
}
