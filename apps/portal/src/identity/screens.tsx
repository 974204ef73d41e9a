/** Screens of the flows. The service defines the fields; the screens add titles and links. */
import type { Flow, Session } from '@glacis/contract/identity'
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleCheck } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { AuthAside, AuthTitle } from '#identity/auth-layout.tsx'
import { isButton, isResend } from '#identity/body.ts'
import type { FlowKind } from '#identity/flow-kind.ts'
import { FlowForm } from '#identity/flow-form.tsx'
import { flowQuery } from '#identity/lifecycle.ts'
import { codeSentTo, inputsOf, isCodeSent, labelOf } from '#identity/nodes.ts'
import { sessionKey } from '#identity/session.ts'
import { restoreFocus } from '#lib/focus.ts'
import { portalConfig } from '#lib/portal-config.ts'
import { sessionEndedAt } from '#lib/use-draft.ts'
import { ButtonAnchor } from '#ui/button.tsx'
import { OrganizationSignIn } from '#identity/organization-sign-in.tsx'
import { Note } from '#ui/note.tsx'

interface Visit {
  /** ID of the flow from the URL. */
  readonly flow: string | undefined
  readonly returnTo: string | undefined
}

export function LoginScreen({ flow: id, returnTo }: Visit) {
  const flow = useOpenFlow('login', id)
  const { title, lede } = loginText(flow)
  const address = flow.return_to ?? returnTo
  const forgotPassword = (
    <Link to="/recovery" search={{ return_to: returnTo }} className="inline-link">
      Forgot password?
    </Link>
  )
  return (
    <>
      <AuthTitle title={title}>{lede}</AuthTitle>
      <SessionExpiredNote address={address} />
      {isInvitation(address) && (
        <Note variant="gray" className="mt-4">
          You're invited to a workspace. To accept, sign in with the email address that the invitation was sent to, or
          create an account with it.
        </Note>
      )}
      {isSingleSignOn(address) && (
        <Note variant="gray" className="mt-4">
          Sign in to your account first, then continue with your organization's sign-in provider.
        </Note>
      )}
      <FlowForm key={flow.id} kind="login" flow={flow} asides={{ password: forgotPassword }} />
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
      {!isSecondFactor(flow) && !isSingleSignOn(address) && (
        <div className="mt-3 text-center">
          <OrganizationSignIn returnTo={address} />
        </div>
      )}
    </>
  )
}

/** Notice that the session ended while the user was working. */
function SessionExpiredNote({ address }: { readonly address: string | undefined }) {
  const [ended] = useState(() => sessionEndedAt(address))
  if (!ended) return null
  return (
    <Note variant="gray" className="mt-4">
      You were signed out. Sign in to continue where you left off.
      {ended.isKept && ' Your unsaved input is kept in this tab.'}
    </Note>
  )
}

export function RegistrationScreen({ flow: id, returnTo }: Visit) {
  const flow = useOpenFlow('registration', id)
  return (
    <>
      <AuthTitle title={isCodeSent(flow) ? 'Check your email' : 'Create an account'}>
        {isCodeSent(flow) ? (
          <CodeSent flow={flow} />
        ) : isInvitation(flow.return_to ?? returnTo) ? (
          'Use the email address that the invitation was sent to.'
        ) : (
          "You'll add your first target next."
        )}
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
  return (
    <>
      <AuthTitle title={isCodeSent(flow) ? 'Check your email' : 'Recover your account'}>
        {isCodeSent(flow) ? (
          <CodeSent
            flow={flow}
            restart={
              <Link to="/recovery" search={{ return_to: returnTo }} className="inline-link">
                Use another address
              </Link>
            }
          />
        ) : (
          "Enter your account's email address and we'll send you a code."
        )}
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

/** Prefills the code from the link in the email, or the address of a user who comes from their profile. */
export function VerificationScreen({ flow: id, returnTo, code }: Visit & { readonly code: string | undefined }) {
  const session = useQueryClient().getQueryData<Session | null>(sessionKey)
  const flow = prefilled(useOpenFlow('verification', id), { code, email: session?.identity.traits.email })
  if (flow.state === 'passed_challenge') return <Verified flow={flow} returnTo={returnTo} />
  return (
    <>
      <AuthTitle title="Verify your email">
        {isCodeSent(flow) ? <CodeSent flow={flow} /> : "Enter your email address and we'll send you a code."}
      </AuthTitle>
      <FlowForm key={flow.id} kind="verification" flow={flow} />
      <AuthAside>
        <a href={returnTo ?? '/overview'} className="inline-link">
          {returnTo ? 'Back' : 'Skip for now'}
        </a>
      </AuthAside>
    </>
  )
}

function Verified({ flow, returnTo }: { readonly flow: Flow; readonly returnTo: string | undefined }) {
  useEffect(() => restoreFocus(), []) // the focused form was removed
  return (
    <>
      <AuthTitle title="Email verified" />
      <div className="mt-5 grid gap-5">
        {flow.ui.messages.map(({ id, text }) => (
          <Note key={id} variant="green" icon={<CircleCheck aria-hidden="true" />}>
            {text}
          </Note>
        ))}
        <ButtonAnchor variant="primary" block href={continueUrl(flow, returnTo)}>
          {continueLabel(flow)}
        </ButtonAnchor>
      </div>
    </>
  )
}

interface CodeSentProps {
  readonly flow: Flow
  /** A link that starts over with another address. */
  readonly restart?: ReactNode
}

/**
 * Doesn't reveal whether the address has an account, so it suggests checking the address. Kratos v1.3 doesn't return the
 * address after a sign-up.
 */
function CodeSent({ flow, restart }: CodeSentProps) {
  // An external identity service sends its own email.
  const { mailsAreFiles, identityUrl, apiUrl } = portalConfig()
  const address = codeSentTo(flow)
  const resend = inputsOf(flow.ui.nodes).find((node) => isButton(node) && isResend(node.attributes))
  return (
    <>
      Enter the 6-digit code we sent to{' '}
      {address ? <strong className="font-medium wrap-anywhere text-ink">{address}</strong> : 'your email address'}.
      <span className="mt-2 block text-12 text-ink-3">
        {mailsAreFiles && identityUrl === apiUrl ? (
          <>
            This installation has no mail server yet, so the email is a file on the server: the newest in{' '}
            <code className="text-ink-2">outbox/</code> in the data folder, by default{' '}
            <code className="text-ink-2">.glacis/outbox/</code>.
          </>
        ) : (
          <>
            No email after a minute? Check your spam folder and the spelling of the address
            {resend && `, or select “${labelOf(resend)}” below`}.
          </>
        )}
        {restart && <> {restart}</>}
      </span>
    </>
  )
}

/** The service's continue link, except that its default page is replaced by the overview. */
function continueUrl(flow: Flow, returnTo: string | undefined): string {
  const link = flow.ui.nodes.find((node) => node.type === 'a')?.attributes.href
  const isHome = !link || new URL(link, location.href).href === new URL('/', location.href).href
  return flow.return_to ?? returnTo ?? (isHome ? '/overview' : link)
}
function continueLabel(flow: Flow): string {
  return flow.ui.nodes.find((node) => node.type === 'a')?.attributes.title.text || 'Continue'
}

/** The flow that the loader has fetched. */
function useOpenFlow(kind: FlowKind, id: string | undefined): Flow {
  return useSuspenseQuery(flowQuery(kind, id ?? '')).data
}

/** Fills empty fields, unless the user has already submitted something wrong. */
function prefilled(flow: Flow, values: Readonly<Record<string, string | undefined>>): Flow {
  if (flow.ui.messages.some(({ type }) => type === 'error')) return flow
  const nodes = flow.ui.nodes.map((node) =>
    node.type === 'input' && !node.attributes.value && values[node.attributes.name]
      ? { ...node, attributes: { ...node.attributes, value: values[node.attributes.name] } }
      : node,
  )
  return { ...flow, ui: { ...flow.ui, nodes } }
}

/** Whether the user came through the link of an invitation, and returns there. */
function isInvitation(returnTo: string | undefined): boolean {
  return URL.parse(returnTo ?? '')?.pathname === '/invitation'
}

/** Whether the user continues at the provider of a workspace. */
function isSingleSignOn(returnTo: string | undefined): boolean {
  return URL.parse(returnTo ?? '')?.pathname === '/single-sign-on'
}

function isSecondFactor(flow: Flow): boolean {
  return flow.requested_aal === 'aal2'
}

function loginText(flow: Flow): { readonly title: string; readonly lede: ReactNode } {
  if (isCodeSent(flow)) return { title: 'Check your email', lede: <CodeSent flow={flow} /> }
  if (isSecondFactor(flow))
    return { title: 'Two-factor authentication', lede: 'Confirm your sign-in with a second factor.' }
  if (flow.refresh) return { title: "Confirm it's you", lede: 'Sign in again to continue.' }
  return {
    title: 'Sign in',
    lede: (
      <>
        to <span className="font-medium text-ink">{location.host}</span>
      </>
    ),
  }
}
