/** Connects the flow screens to their search parameters. */
import { getRouteApi } from '@tanstack/react-router'
import { FlowErrorScreen } from '#identity/error-screen.tsx'
import { LoginScreen, RecoveryScreen, RegistrationScreen, VerificationScreen } from '#identity/screens.tsx'

const login = getRouteApi('/_public/login')
const registration = getRouteApi('/_public/registration')
const recovery = getRouteApi('/_public/recovery')
const verification = getRouteApi('/_public/verification')
const error = getRouteApi('/_public/error')

export function LoginPage() {
  const { flow, return_to: returnTo } = login.useSearch()
  return <LoginScreen flow={flow} returnTo={returnTo} />
}

export function RegistrationPage() {
  const { flow, return_to: returnTo } = registration.useSearch()
  return <RegistrationScreen flow={flow} returnTo={returnTo} />
}

export function RecoveryPage() {
  const { flow, return_to: returnTo } = recovery.useSearch()
  return <RecoveryScreen flow={flow} returnTo={returnTo} />
}

export function VerificationPage() {
  const { flow, return_to: returnTo, code } = verification.useSearch()
  return <VerificationScreen flow={flow} returnTo={returnTo} code={code} />
}

export function FlowErrorPage() {
  return <FlowErrorScreen id={error.useSearch().id} stored={error.useLoaderData()} />
}
