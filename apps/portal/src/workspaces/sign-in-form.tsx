/** The form of the workspace's sign-in provider. */
import { GroupRoleName } from '@glacis/contract/group-role'
import type { SignInProvider } from '@glacis/contract/sign-in-provider'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { mutationDialogProps } from '#api/advice.ts'
import { ApiFailure } from '#api/failure.ts'
import { roleLabels } from '#lib/role-labels.ts'
import { GroupRolesField, groupRoleNames, groupsProblem, namedGroups } from '#workspaces/group-roles.tsx'
import { saveProvider } from '#workspaces/sign-in-queries.ts'
import { Checkbox, SelectField, TextField } from '#ui/field.tsx'
import { FormDialog } from '#ui/form-dialog.tsx'
import { Note } from '#ui/note.tsx'
import { addToast } from '#ui/toasts.tsx'

const empty = {
  label: '',
  issuer: '',
  clientId: '',
  groupsClaim: 'groups',
  groupRoles: [] as SignInProvider['groupRoles'],
  defaultRole: null as SignInProvider['defaultRole'],
  isRequired: false,
}
const texts = [
  { name: 'label', label: 'Name', hint: 'Shown on the sign-in page, such as Acme SSO' },
  {
    name: 'issuer',
    label: 'Issuer',
    hint: 'Such as https://login.example.com. Its OpenID Connect metadata is fetched when you save.',
  },
  { name: 'clientId', label: 'Client ID', hint: undefined },
] as const

interface ProviderFormProps {
  /** Undefined to set up a new one. */
  readonly provider: SignInProvider | undefined
  readonly onClose: () => void
}

/** Opens when mounted. */
export function ProviderForm({ provider, onClose }: ProviderFormProps) {
  const saving = useMutation(saveProvider)
  const [draft, setDraft] = useState<typeof empty>(() => (provider ? draftOf(provider) : empty))
  const [replaces] = useState(provider?.updateTime ?? null)
  const [secret, setSecret] = useState<string>()
  const [hasTried, setHasTried] = useState(false)
  const change = (part: Partial<typeof empty>) => setDraft({ ...draft, ...part })
  const groupProblem = groupsProblem(draft.groupRoles)
  const isOther = provider && (provider.issuer !== draft.issuer || provider.clientId !== draft.clientId)
  const missing = texts.filter(({ name }) => draft[name].trim() === '')
  const errors = saving.error instanceof ApiFailure ? saving.error.fieldErrors : new Map<string, string>()
  const save = () => {
    setHasTried(true)
    if (missing.length > 0 || groupProblem) return
    const { label } = draft
    const onSuccess = () => {
      addToast('success', { title: 'Success', message: `${label} was saved.` })
      onClose()
    }
    const groupRoles = namedGroups(draft.groupRoles)
    const changed = { ...draft, groupRoles, ...(secret !== undefined && { clientSecret: secret }) }
    saving.mutate({ provider: changed, replaces }, { onSuccess })
  }
  return (
    <FormDialog
      panel
      {...mutationDialogProps(saving, onClose)}
      title={provider ? `Edit ${provider.label}` : 'Set up sign-in provider'}
      label="Save provider"
      call="setSignInProvider"
      onSubmit={save}
    >
      {texts.map(({ name, label, hint }) => {
        const problem = hasTried && draft[name].trim() === '' ? 'Required' : errors.get(`provider.${name}`)
        return (
          <TextField
            key={name}
            label={label}
            hint={hint}
            autoComplete="off"
            spellCheck={false}
            data-autofocus={name === 'label' || undefined}
            maxLength={name === 'label' ? 40 : 500}
            value={draft[name]}
            state={problem ? 'error' : 'default'}
            messages={problem ? [problem] : []}
            onChange={({ target }) => change({ [name]: target.value })}
          />
        )
      })}
      {isOther && (
        <Note variant="orange">Everyone who signed in with this provider has to sign in again, including you.</Note>
      )}
      <TextField
        label="Client secret"
        type="password"
        autoComplete="new-password"
        optional
        hint={
          provider?.hasClientSecret
            ? 'Leave empty to keep the stored secret. It is discarded if you change the issuer or client ID.'
            : 'Leave empty for a public client.'
        }
        value={secret ?? ''}
        onChange={({ target }) => setSecret(target.value || undefined)}
      />
      <TextField
        label="Groups claim"
        hint="The claim in the ID token or userinfo response that lists the user's groups"
        maxLength={200}
        value={draft.groupsClaim}
        onChange={({ target }) => change({ groupsClaim: target.value })}
      />
      <GroupRolesField
        value={draft.groupRoles}
        problem={hasTried ? groupProblem : undefined}
        disabled={false}
        onChange={(groupRoles) => change({ groupRoles: [...groupRoles] })}
      />
      <SelectField
        label="Users in none of these groups"
        value={draft.defaultRole ?? ''}
        onChange={({ target }) => change({ defaultRole: GroupRoleName.safeParse(target.value).data ?? null })}
      >
        <option value="">Need an invitation</option>
        {groupRoleNames.map((name) => (
          <option key={name} value={name}>
            Join as {roleLabels[name].toLowerCase()}
          </option>
        ))}
      </SelectField>
      <Checkbox
        label="Require this provider"
        hint="Everyone except owners must sign in with it to use this workspace, effective immediately. API tokens keep working."
        checked={draft.isRequired}
        onChange={({ target }) => change({ isRequired: target.checked })}
      />
    </FormDialog>
  )
}

function draftOf(provider: SignInProvider): typeof empty {
  const { label, issuer, clientId, groupsClaim, groupRoles, defaultRole, isRequired } = provider
  return { label, issuer, clientId, groupsClaim, groupRoles, defaultRole, isRequired }
}
