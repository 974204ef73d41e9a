/** `/installation`: version, health, background work, accounts, and workspaces, for administrators. */
import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { formatBytes, formatNumber } from '#lib/format.ts'
import { portalConfig } from '#lib/portal-config.ts'
import { Accounts } from '#installation/accounts.tsx'
import { FeedList } from '#installation/feed-list.tsx'
import { Health } from '#installation/health.tsx'
import { installation, saveNetworks, testEmail } from '#installation/queries.ts'
import { Queues } from '#installation/queues.tsx'
import { Workspaces } from '#installation/workspaces.tsx'
import { Button } from '#ui/button.tsx'
import { Fact, Facts } from '#ui/card.tsx'
import { Note } from '#ui/note.tsx'
import { PageHead } from '#ui/page-head.tsx'
import { SettingsSection } from '#ui/settings-section.tsx'
import { SignInNetworks } from '#ui/sign-in-networks.tsx'

export function InstallationPage() {
  const { version, nodeVersion, databaseVersion, update, usage, identityUrl, sendsEmail, signInNetworks } =
    useSuspenseQuery(installation()).data.installation
  return (
    <div className="w-full max-w-[1152px] pb-14">
      <PageHead
        title="Installation"
        description="Settings and health of the whole installation. Only administrators can see this page."
      />
      <div className="@container px-(--gl-gutter) pt-5">
        <SettingsSection
          id="version"
          title="Version and usage"
          description="The running version, and how much data it manages."
        >
          {update && (
            <Note className="mb-3">
              Glacis {update.version} is ready to install: {update.file}.{' '}
              <a className="inline-link text-link" href={portalConfig().releaseNotesUrl}>
                How to upgrade
              </a>
            </Note>
          )}
          <Facts className="max-w-[440px]">
            <Fact name="Glacis">{version}</Fact>
            <Fact name="Node.js">{nodeVersion}</Fact>
            <Fact name="PostgreSQL">{databaseVersion}</Fact>
            <Fact name="Database size">{formatBytes(usage.databaseBytes)}</Fact>
            <Fact name="Accounts">{formatNumber(usage.accounts)}</Fact>
            <Fact name="Workspaces">{formatNumber(usage.workspaces)}</Fact>
            <Fact name="Targets">{formatNumber(usage.targets)}</Fact>
            <Fact name="Assets">{formatNumber(usage.hosts)}</Fact>
            <Fact name="Scans">{formatNumber(usage.scans)}</Fact>
          </Facts>
        </SettingsSection>
        <Health />
        <Email sendsEmail={sendsEmail} />
        <Queues />
        <FeedList />
        <Accounts identityUrl={identityUrl} />
        <Workspaces />
        <SettingsSection
          id="networks"
          title="Sign-in networks"
          description="Networks from which users can sign in and use Glacis. A workspace can restrict this further."
        >
          <SignInNetworks networks={signInNetworks} call="setInstallationNetworks" save={saveNetworks} />
        </SettingsSection>
      </div>
    </div>
  )
}

function Email({ sendsEmail }: { readonly sendsEmail: boolean }) {
  const { mutate, data, isPending } = useMutation(testEmail)
  return (
    <SettingsSection id="email" title="Email" description="Used for invitations, sign-in codes, and notifications.">
      <p className="mb-3 text-ink-2">
        {sendsEmail
          ? 'Email is sent through the SMTP server in GLACIS_SMTP_URL.'
          : 'Email is written to the outbox folder. Set GLACIS_SMTP_URL to send it.'}
      </p>
      {data && (
        <Note variant={data.problem === undefined ? 'green' : 'red'} className="mb-3">
          {data.problem === undefined
            ? `The email to ${data.to} was ${sendsEmail ? 'accepted by the SMTP server' : 'written to the outbox'}.`
            : `The email to ${data.to} wasn't sent: ${data.problem}`}
        </Note>
      )}
      <Button loading={isPending} onClick={() => mutate()}>
        Send test email
      </Button>
    </SettingsSection>
  )
}
