import type { Flow, Session } from '@glacis/contract/identity'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowUpRight, BadgeCheck, LifeBuoy, Mail } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { showMessagesOnce } from '#identity/flow-messages.ts'
import { flowQuery } from '#identity/lifecycle.ts'
import { withCodeMessages } from '#identity/nodes.ts'
import { fullName, useSession } from '#identity/session.ts'
import { shortcutsFlag } from '#lib/keyboard.ts'
import { portalConfig } from '#lib/portal-config.ts'
import { useStoredFlag } from '#lib/storage.ts'
import { Keys } from '#profile/keys.tsx'
import { Password } from '#profile/password.tsx'
import { PersonalInfo } from '#profile/personal-info.tsx'
import { Providers } from '#profile/providers.tsx'
import { Sessions } from '#profile/sessions.tsx'
import { SettingsList, SettingsSection } from '#ui/settings-section.tsx'
import { TwoFactor } from '#profile/two-factor.tsx'
import { Avatar } from '#ui/avatar.tsx'
import { Badge } from '#ui/badge.tsx'
import { ButtonAnchor } from '#ui/button.tsx'
import { Checkbox } from '#ui/field.tsx'
import { PageHead } from '#ui/page-head.tsx'

/** The profile settings: the identity service's settings flow, split into sections. */
export function ProfilePage({ flow: id }: { readonly flow: string | undefined }) {
  // The loader has fetched the flow and put its ID into the URL.
  const { data: flow } = useSuspenseQuery(flowQuery('settings', id ?? ''))
  const session = useSession()
  useEffect(() => showMessagesOnce(flow), [flow])
  const { helpUrl } = portalConfig()
  if (!session) return null
  return (
    <div className="w-full max-w-[1152px] pb-14">
      <PageHead
        title="Profile settings"
        actions={
          <ButtonAnchor
            size="sm"
            href={helpUrl}
            target="_blank"
            rel="noreferrer"
            icon={<LifeBuoy aria-hidden="true" />}
          >
            Help Center
            <ArrowUpRight aria-hidden="true" className="-mr-0.5 size-3.5! text-ink-3" />
          </ButtonAnchor>
        }
      />
      <div className="@container px-(--gl-gutter) pt-5">
        <IdentityCard session={session} />
        <PersonalInfo key={`info:${flow.id}`} flow={flow} />
        <Authentication flow={flow} />
        <TwoFactor flow={withCodeMessages(flow)} />
        <Sessions current={session} />
        <Keyboard />
        <UsefulLinks />
        <DeleteAccount name={fullName(session)} />
      </div>
    </div>
  )
}

function IdentityCard({ session }: { readonly session: Session }) {
  const { email } = session.identity.traits
  return (
    <div className="mb-2 flex items-center gap-4 rounded-lg border border-line px-5 py-4">
      <Avatar large name={fullName(session)} />
      <div className="min-w-0">
        <p className="text-16 font-semibold tracking-[-.01em] wrap-anywhere">{fullName(session)}</p>
        <p className="flex flex-wrap items-center gap-x-1.5">
          <span className="min-w-0 text-ink-2 wrap-anywhere">{email}</span>
          {isVerified(session) ? (
            <span title="Email verified" className="text-green-ink">
              <BadgeCheck aria-hidden="true" className="size-4" />
              <span className="sr-only">Email verified</span>
            </span>
          ) : (
            <>
              <Badge variant="orange">unverified</Badge>
              <Link
                to="/verification"
                search={{ return_to: location.href }}
                preload={false}
                className="inline-link text-12"
              >
                Verify
              </Link>
            </>
          )}
        </p>
      </div>
    </div>
  )
}

/** True if the current email address is verified. */
export function isVerified({ identity }: Pick<Session, 'identity'>): boolean {
  return identity.verifiable_addresses.some(({ value, verified }) => verified && value === identity.traits.email)
}

/** The sign-in methods that the flow has nodes for. */
function Authentication({ flow }: { readonly flow: Flow }) {
  const groups = new Set(flow.ui.nodes.map(({ group }) => group))
  if (!['oidc', 'password', 'passkey'].some((group) => groups.has(group as 'oidc'))) return null
  return (
    <SettingsSection id="authentication" title="Authentication" description="The methods you can use to sign in.">
      <Providers flow={flow} />
      <Password flow={flow} />
      <Keys flow={flow} group="passkey" />
    </SettingsSection>
  )
}

/** Toggle for single-character shortcuts, which interfere with speech input (WCAG 2.1.4). */
function Keyboard() {
  const [isOn, setIsOn] = useStoredFlag(shortcutsFlag, true)
  return (
    <SettingsSection id="keyboard" title="Keyboard" description="Saved in this browser.">
      <Checkbox
        label="Keyboard shortcuts"
        hint="Press / to search a list and ? to show all shortcuts. Ctrl K for global search always works."
        checked={isOn}
        onChange={(event) => setIsOn(event.target.checked)}
      />
    </SettingsSection>
  )
}

function UsefulLinks() {
  const { apiDocsUrl, licenceUrl } = portalConfig()
  return (
    <SettingsSection id="links" title="Useful links">
      <SettingsList label="Useful links">
        <OutsideLink href={apiDocsUrl}>API Documentation</OutsideLink>
        <OutsideLink href={licenceUrl}>License Agreement</OutsideLink>
      </SettingsList>
    </SettingsSection>
  )
}

function OutsideLink({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  return (
    <li>
      <a
        href={href}
        target="_blank"
        rel="noreferrer"
        className="flex min-h-13.5 items-center justify-between gap-3 py-2 pr-3 pl-4 font-medium underline-offset-3 hover:underline"
      >
        {children}
        <ArrowUpRight aria-hidden="true" className="size-3.5 text-ink-3" />
      </a>
    </li>
  )
}

function DeleteAccount({ name }: { readonly name: string }) {
  return (
    <SettingsSection
      id="delete"
      title="Delete account"
      description="Opens an email that asks support to delete your account."
    >
      <ButtonAnchor
        variant="danger"
        size="sm"
        href={deletionMailUrl(portalConfig().supportEmail, name)}
        icon={<Mail aria-hidden="true" />}
      >
        Delete account
      </ButtonAnchor>
    </SettingsSection>
  )
}

/** `mailto:` URL of the account deletion request. */
export function deletionMailUrl(to: string, name: string): string {
  const body = `Please delete my account and everything that belongs to it.\n\n${name}`
  return `mailto:${to}?subject=${encodeURIComponent('Account deletion')}&body=${encodeURIComponent(body)}`
}
