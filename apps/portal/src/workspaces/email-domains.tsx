import type { EmailDomain } from '@glacis/contract/invitation'
import { useMutation, useQuery } from '@tanstack/react-query'
import { AtSign } from 'lucide-react'
import { useState } from 'react'
import { errorAdvice, fieldProblem, mutationDialogProps } from '#api/advice.ts'
import { roleLabels } from '#lib/role-labels.ts'
import { addDomain, emailDomains, removeDomain, useAllowed, verifyDomain } from '#workspaces/queries.ts'
import { RoleSelect } from '#ui/role-select.tsx'
import { Badge } from '#ui/badge.tsx'
import { Button } from '#ui/button.tsx'
import { ConfirmMutation } from '#ui/confirm-mutation.tsx'
import { CopyField } from '#ui/copy-field.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { TextField } from '#ui/field.tsx'
import { FormDialog } from '#ui/form-dialog.tsx'
import { SettingsList, SettingsRow, SettingsSection } from '#ui/settings-section.tsx'
import { SectionError } from '#ui/states.tsx'

/** Email domains whose users can join without an invitation. */
export function EmailDomains() {
  const { data, isError, refetch } = useQuery(emailDomains())
  const canEdit = useAllowed('createEmailDomain')
  const [isAdding, setIsAdding] = useState(false)
  const [verifying, setVerifying] = useState<EmailDomain>()
  const [removing, setRemoving] = useState<EmailDomain>()
  return (
    <SettingsSection
      id="email-domains"
      title="Email domains"
      description="Users with a verified address in one of these domains can join without an invitation."
    >
      {isError && !data && <SectionError what="The email domains" onRetry={() => void refetch()} />}
      {data && data.emailDomains.length > 0 && (
        <div className="mb-3">
          <SettingsList label="Email domains">
            {data.emailDomains.map((item) => (
              <SettingsRow
                key={item.id}
                icon={<AtSign aria-hidden="true" />}
                name={item.domain}
                detail={`${item.isVerified ? 'Users join' : 'Not verified yet: users will join'} as ${roleLabels[item.role].toLowerCase()}`}
              >
                {item.isVerified ? (
                  <Badge variant="green">Verified</Badge>
                ) : (
                  canEdit && (
                    <Button
                      size="sm"
                      call="verifyEmailDomain"
                      aria-label={`Verify ${item.domain}`}
                      onClick={() => setVerifying(item)}
                    >
                      Verify
                    </Button>
                  )
                )}
                {canEdit && (
                  <Button
                    size="sm"
                    call="deleteEmailDomain"
                    aria-label={`Remove ${item.domain}`}
                    onClick={() => setRemoving(item)}
                  >
                    Remove
                  </Button>
                )}
              </SettingsRow>
            ))}
          </SettingsList>
        </div>
      )}
      {data?.emailDomains.length === 0 && !canEdit && <p className="text-ink-3">No domains yet.</p>}
      {canEdit && <Button onClick={() => setIsAdding(true)}>Add domain</Button>}
      {isAdding && <AddDialog onClose={() => setIsAdding(false)} onAdded={setVerifying} />}
      {verifying && <VerifyDialog domain={verifying} onClose={() => setVerifying(undefined)} />}
      <ConfirmMutation
        mutation={removeDomain}
        input={removing?.id}
        onClose={() => setRemoving(undefined)}
        title={`Remove ${removing?.domain ?? 'domain'}`}
        description="New users with this domain will need an invitation to join. Current members remain members, but those with this domain can no longer sign in with the workspace's provider, if it has one."
        label="Remove domain"
      />
    </SettingsSection>
  )
}

const domainRoles = ['viewer', 'analyst', 'auditor'] as const

interface AddDialogProps {
  readonly onClose: () => void
  readonly onAdded: (domain: EmailDomain) => void
}

function AddDialog({ onClose, onAdded }: AddDialogProps) {
  const adding = useMutation(addDomain)
  const [domain, setDomain] = useState('')
  const [role, setRole] = useState<(typeof domainRoles)[number]>('viewer')
  const add = () => {
    const onSuccess = ({ emailDomain }: { emailDomain: EmailDomain }) => {
      onClose()
      onAdded(emailDomain)
    }
    adding.mutate({ domain, role }, { onSuccess })
  }
  const error = fieldProblem(adding.error, 'domain')
  return (
    <FormDialog
      {...mutationDialogProps(adding, onClose)}
      title="Add email domain"
      description="Next, you prove that you control the domain with a DNS record."
      label="Add domain"
      onSubmit={add}
    >
      <TextField
        label="Domain"
        data-autofocus
        placeholder="example.com"
        value={domain}
        state={error ? 'error' : 'default'}
        messages={error ? [error] : []}
        onChange={({ target }) => setDomain(target.value)}
      />
      <RoleSelect value={role} options={domainRoles} onChoose={setRole} />
    </FormDialog>
  )
}

function VerifyDialog({ domain, onClose }: { readonly domain: EmailDomain; readonly onClose: () => void }) {
  const verifying = useMutation(verifyDomain)
  return (
    <Dialog
      open
      onClose={onClose}
      busy={verifying.isPending}
      problem={errorAdvice(verifying.error)}
      title={`Verify ${domain.domain}`}
      description="Create this TXT record at your DNS provider, then verify. It can take a few minutes for the record to become visible."
      footer={
        <>
          <Button onClick={onClose} disabled={verifying.isPending}>
            Later
          </Button>
          <Button
            variant="primary"
            loading={verifying.isPending}
            onClick={() => verifying.mutate(domain.id, { onSuccess: onClose })}
          >
            Verify domain
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        <CopyField label="Name" value={domain.recordName} />
        <CopyField label="Value" value={domain.recordValue} />
      </div>
    </Dialog>
  )
}
