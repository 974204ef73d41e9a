/** Submits a flow and navigates according to the response. */
import type { Flow } from '@glacis/contract/identity'
import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { type ContinueWith, type FlowResult, submitFlow } from '#identity/client.ts'
import type { FlowKind } from '#identity/flow-kind.ts'
import { type RedirectTarget, redirectTargetFor, IdentityFailure } from '#identity/failure.ts'
import { flowQuery } from '#identity/lifecycle.ts'
import { otherSessionsQuery, sessionKey } from '#identity/session.ts'

export interface FlowSubmission {
  readonly submit: (body: object) => void
  readonly isPending: boolean
  /** Number of responses with an updated flow; used to reset rejected input. */
  readonly responseCount: number
  /** Set if the service is unreachable or unavailable. Other errors are flow messages or redirects. */
  readonly problem: string | undefined
}

/** Destination without `return_to`. */
const home = '/overview'

/**
 * Submits a flow. Failed validation returns the flow with messages. Success navigates to the verification screen if
 * the service requests it, else to `return_to`, else to the overview. Settings stay on their page.
 */
export function useFlow(
  kind: FlowKind,
  flow: Flow,
  {
    onSaved,
  }: {
    /** Called after settings were saved. */
    readonly onSaved?: (saved: Flow) => void
  } = {},
): FlowSubmission {
  const client = useQueryClient()
  const router = useRouter()
  const [responseCount, setResponseCount] = useState(0)

  function show(updatedFlow: Flow): void {
    setResponseCount((before) => before + 1)
    client.setQueryData(flowQuery(kind, updatedFlow.id).queryKey, updatedFlow)
    if (updatedFlow.id !== flow.id) void showFlow(updatedFlow.id)
  }
  function showFlow(id: string | undefined): Promise<void> {
    return router.navigate({ to: '.', search: (before: object) => ({ ...before, flow: id }), replace: true })
  }
  async function applyResult(result: FlowResult): Promise<void> {
    if (kind === 'settings' || kind === 'verification') await refreshUser(client)
    const verification = kind === 'settings' ? undefined : verificationIn(result.continueWith)
    if (result.kind === 'flow') show(result.flow)
    if (result.kind === 'flow' && result.flow.state === 'success') onSaved?.(result.flow)
    if (verification)
      return router.navigate({ to: '/verification', search: { flow: verification, return_to: flow.return_to } })
    if (result.kind === 'flow') return
    client.removeQueries({ queryKey: sessionKey })
    // The public pages are a separate document.
    navigateTo(flow.return_to ?? settingsIn(result.continueWith) ?? (result.session ? home : '/login'))
  }
  async function redirectTo(target: RedirectTarget): Promise<void> {
    if (target.kind === 'address') return navigateTo(target.href)
    if (target.kind === 'login') return router.navigate({ to: '/login', search: target.search })
    if (target.kind === 'profile') return router.navigate({ to: '/profile' })
    return router.navigate({ to: '/error', search: { id: target.id } })
  }
  async function recoverFromError(error: Error): Promise<void> {
    if (!(error instanceof IdentityFailure)) return
    if (error.useFlowId || error.status === 404 || error.status === 410) return showFlow(error.useFlowId)
    const target = redirectTargetFor(error, location.href, kind)
    if (target) await redirectTo(target)
  }

  const submission = useMutation({
    mutationFn: (body: object) => submitFlow(kind, flow.id, body),
    onSuccess: applyResult,
    onError: recoverFromError,
    throwOnError: (error) => error instanceof IdentityFailure && isUnhandled(error, kind),
  })
  return {
    submit: submission.mutate,
    isPending: submission.isPending,
    responseCount,
    problem: problemOf(submission.error),
  }
}

/** Refetches name, email address, and sessions, which may have changed. */
async function refreshUser(client: QueryClient): Promise<void> {
  const keys = [sessionKey, otherSessionsQuery().queryKey]
  await Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })))
}

function problemOf(error: Error | null): string | undefined {
  if (!error) return undefined
  if (!(error instanceof IdentityFailure))
    return "The identity service couldn't be reached. Check your connection and try again."
  return isTransient(error)
    ? 'The identity service is unavailable. Your input is still here; try again in a moment.'
    : undefined
}

/** True if the service or a proxy is overloaded or down, so that the user can retry. */
function isTransient({ id, status }: IdentityFailure): boolean {
  return id === '' && (status === 429 || status >= 500)
}

function isUnhandled(error: IdentityFailure, kind: FlowKind): boolean {
  return (
    !isTransient(error) &&
    !error.useFlowId &&
    error.status !== 404 &&
    error.status !== 410 &&
    !redirectTargetFor(error, location.href, kind)
  )
}

function verificationIn(steps: ContinueWith): string | undefined {
  return steps.find(({ action }) => action === 'show_verification_ui')?.flow?.id
}

function settingsIn(steps: ContinueWith): string | undefined {
  const step = steps.find(({ action }) => action === 'show_settings_ui')
  return step?.flow && (step.flow.url ?? `/profile?flow=${encodeURIComponent(step.flow.id)}`)
}

/** Reloads the app, so that no data of a previous user stays in memory. */
function navigateTo(address: string): void {
  location.assign(new URL(address, location.href).href)
}
