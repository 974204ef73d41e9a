/** The screens of the flows. What they ask for comes from the service; they add titles and ways between them. */
import type { Flow } from '@glacis/contract/identity'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleCheck } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { AuthAside, AuthTitle } from '#identity/auth-layout.tsx'
import type { FlowKind } from '#identity/client.ts'
import { FlowForm } from '#identity/flow-form.tsx'
import { flowQuery } from '#identity/lifecycle.ts'
import { mailedTo } from '#identity/nodes.ts'
import { regainFocus } from '#lib/focus.ts'
import { portalConfig } from '#lib/portal-config.ts'
import { endedAt } from '#lib/use-unsent.ts'
import { ButtonAnchor } from '#ui/button.tsx'
import { Note } from '#ui/note.tsx'

interface Visit {
  /** Id of the flow, as the address carries it. */
  readonly flow: string | undefined
  readonly returnTo: string | undefined
}

export function LoginScreen({ flow: id, returnTo }: Visit) {
  const flow = useOpenFlow('login', id)
  const { title, lede } = loginWords(flow)
  const forgotten = (
    <Link to="/recovery" search={{ return_to: returnTo }} className="inline-link">
      Forgot password?
    </Link>
  )
  return (
    <>
      <AuthTitle title={title}>{lede}</AuthTitle>
      <Ended address={flow.return_to ?? returnTo} />
      <FlowForm key={flow.id} kind="login" flow={flow} asides={{ password: forgotten }} />
      <AuthAside>
        {isSecondFactor(flow) ? (
          <Link to="/logout" preload={false} className="inline-link">
            Sign in as someone else
          </Link>
        ) : (
          <>
            New here?{' '}
            <Link to="/registration" search={{ return_to: returnTo }} className="inline-link">
              Create an account
            </Link>
          </>
        )}
      </AuthAside>
    </>
  )
}

/** Whoever was at work says nothing of signing in; the page has to. */
function Ended({ address }: { readonly address: string | undefined }) {
  const [ended] = useState(() => endedAt(address))
  if (!ended) return null
  return (
    <Note variant="gray" className="mt-4">
      Your session has ended. Sign in to go on where you were.
      {ended.isKept && ' What you were writing is kept in this tab.'}
    </Note>
  )
}

export function RegistrationScreen({ flow: id, returnTo }: Visit) {
  const flow = useOpenFlow('registration', id)
  const address = mailedTo(flow)
  return (
    <>
      <AuthTitle title={address ? 'Check your email' : 'Create an account'}>
        {address ? <CodeSent address={address} /> : 'You add your first target right after this.'}
      </AuthTitle>
      <FlowForm key={flow.id} kind="registration" flow={flow} />
      <AuthAside>
        Already registered?{' '}
        <Link to="/login" search={{ return_to: returnTo }} className="inline-link">
          Sign in
        </Link>
      </AuthAside>
    </>
  )
}

export function RecoveryScreen({ flow: id, returnTo }: Visit) {
  const flow = useOpenFlow('recovery', id)
  const address = mailedTo(flow)
  return (
    <>
      <AuthTitle title={address ? 'Check your email' : 'Recover your account'}>
        {address ? <CodeSent address={address} /> : 'We send a code to the address of your account.'}
      </AuthTitle>
      <FlowForm key={flow.id} kind="recovery" flow={flow} />
      <AuthAside>
        <Link to="/login" search={{ return_to: returnTo }} className="inline-link">
          Back to sign in
        </Link>
      </AuthAside>
    </>
  )
}

/** `code` comes with the link in the mail, so that it need not be typed. */
export function VerificationScreen({ flow: id, returnTo, code }: Visit & { readonly code: string | undefined }) {
  const flow = withCode(useOpenFlow('verification', id), code)
  const address = mailedTo(flow)
  if (flow.state === 'passed_challenge') return <Verified flow={flow} returnTo={returnTo} />
  return (
    <>
      <AuthTitle title="Verify your email">
        {address ? <CodeSent address={address} /> : 'We send a code to the address that you enter.'}
      </AuthTitle>
      <FlowForm key={flow.id} kind="verification" flow={flow} />
      <AuthAside>
        <a href={returnTo ?? '/overview'} className="inline-link">
          Later
        </a>
      </AuthAside>
    </>
  )
}

function Verified({ flow, returnTo }: { readonly flow: Flow; readonly returnTo: string | undefined }) {
  useEffect(() => regainFocus(), []) // the form that held it is gone
  return (
    <>
      <AuthTitle title="Email verified" />
      <div className="mt-5 grid gap-5">
        {flow.ui.messages.map(({ id, text }) => (
          <Note key={id} variant="green" icon={<CircleCheck aria-hidden="true" />}>
            {text}
          </Note>
        ))}
        <ButtonAnchor variant="primary" block href={continueAddress(flow, returnTo)}>
          {continueWords(flow)}
        </ButtonAnchor>
      </div>
    </>
  )
}

/** Nobody learns here whether the address is an account's, so it may be spelt wrong. */
function CodeSent({ address }: { readonly address: string }) {
  return (
    <>
      Enter the 6-character code we sent to <strong className="font-medium wrap-anywhere text-ink">{address}</strong>.
      If no mail comes, check the spelling of the address.
      {portalConfig().mailsAreFiles && (
        <span className="mt-2 block text-12 text-ink-3">
          This installation has no mail server yet: mails are files in the folder outbox of its data.
        </span>
      )}
    </>
  )
}

/** The service's own way on leads to its default page; the overview is meant unless it names another. */
function continueAddress(flow: Flow, returnTo: string | undefined): string {
  const link = flow.ui.nodes.find((node) => node.type === 'a')?.attributes.href
  const isHome = !link || new URL(link, location.href).href === new URL('/', location.href).href
  return flow.return_to ?? returnTo ?? (isHome ? '/overview' : link)
}
function continueWords(flow: Flow): string {
  return flow.ui.nodes.find((node) => node.type === 'a')?.attributes.title.text || 'Continue'
}

/** The loader saw to it that the address names a flow, and fetched it. */
function useOpenFlow(kind: FlowKind, id: string | undefined): Flow {
  return useSuspenseQuery(flowQuery(kind, id ?? '')).data
}

function withCode(flow: Flow, code: string | undefined): Flow {
  if (!code || flow.ui.messages.some(({ type }) => type === 'error')) return flow
  const nodes = flow.ui.nodes.map((node) =>
    node.type === 'input' && node.attributes.name === 'code'
      ? { ...node, attributes: { ...node.attributes, value: code } }
      : node,
  )
  return { ...flow, ui: { ...flow.ui, nodes } }
}

function isSecondFactor(flow: Flow): boolean {
  return flow.requested_aal === 'aal2'
}

function loginWords(flow: Flow): { readonly title: string; readonly lede: ReactNode } {
  const address = mailedTo(flow)
  if (address) return { title: 'Check your email', lede: <CodeSent address={address} /> }
  if (isSecondFactor(flow)) return { title: 'Second step', lede: 'Confirm with the second factor of your account.' }
  if (flow.refresh) return { title: 'Confirm that it is you', lede: 'Sign in once more to go on.' }
  return {
    title: 'Sign in',
    lede: (
      <>
        to <span className="font-mono text-ink">{location.host}</span>
      </>
    ),
  }
}
