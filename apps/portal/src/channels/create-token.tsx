/** The dialog that creates an API token. */
import { type ApiToken, TokenScope } from '@glacis/contract/access'
import { isWithin } from '@glacis/contract/permissions'
import { type Role, roles } from '@glacis/contract/role'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { mutationDialogProps } from '#api/advice.ts'
import { ApiFailure } from '#api/failure.ts'
import { scopeLabels } from '#channels/labels.ts'
import { createToken } from '#channels/queries.ts'
import type { NewSecret } from '#ui/secret-dialog.tsx'
import { useRole } from '#lib/role.ts'
import { SelectField, TextField } from '#ui/field.tsx'
import { FormDialog } from '#ui/form-dialog.tsx'
import { NetworksField, networksProblem, parseNetworks } from '#ui/networks-field.tsx'
import { RoleSelect } from '#ui/role-select.tsx'

const lifetimesDays = [30, 90, 180, 365] as const
const dayMs = 86_400_000
/** The server's clock can be behind. */
const marginMs = 60_000

interface CreateTokenDialogProps {
  readonly onClose: () => void
  readonly onSecret: (shown: NewSecret) => void
}

/** Opens when mounted. */
export function CreateTokenDialog({ onClose, onSecret }: CreateTokenDialogProps) {
  const creation = useMutation(createToken)
  const own = useRole() ?? 'viewer'
  const [name, setName] = useState('')
  const [scope, setScope] = useState<TokenScope>('SCOPE_READ')
  const [chosenRole, setRole] = useState<Role>()
  const suggested = scope === 'SCOPE_READ' ? 'viewer' : 'analyst'
  const role = chosenRole ?? (isWithin(suggested, own) ? suggested : own)
  const [days, setDays] = useState<number>(90)
  const [networks, setNetworks] = useState('')
  const [hasTried, setHasTried] = useState(false)
  const invalid = networksProblem(networks)
  const create = () => {
    setHasTried(true)
    if (name.trim() === '' || invalid !== undefined) return
    const expireTime = new Date(Date.now() + days * dayMs - marginMs).toISOString()
    const onSuccess = ({ apiToken }: { apiToken: ApiToken }) => {
      onClose()
      if (apiToken.token) onSecret({ what: 'API token', value: apiToken.token })
    }
    creation.mutate(
      { name, scopes: [scope], role, expireTime, allowedNetworks: parseNetworks(networks) },
      { onSuccess },
    )
  }
  const nameErrors = hasTried && name.trim() === '' ? ['Required'] : fieldErrors(creation.error, 'apiToken.name')
  const networksError = (hasTried ? invalid : undefined) ?? fieldErrors(creation.error, 'apiToken.allowedNetworks')[0]
  return (
    <FormDialog
      {...mutationDialogProps(creation, onClose)}
      title="Create API token"
      label="Create token"
      call="createApiToken"
      onSubmit={create}
    >
      <TextField
        label="Name"
        data-autofocus
        maxLength={128}
        value={name}
        state={nameErrors.length > 0 ? 'error' : 'default'}
        messages={nameErrors}
        hint="What will use the token, such as a CI pipeline"
        onChange={({ target }) => setName(target.value)}
      />
      <SelectField
        label="Permissions"
        value={scope}
        onChange={({ target }) => setScope(TokenScope.parse(target.value))}
      >
        {TokenScope.options.map((option) => (
          <option key={option} value={option}>
            {scopeLabels[option]}
          </option>
        ))}
      </SelectField>
      <RoleSelect value={role} options={roles.filter((item) => isWithin(item, own))} onChoose={setRole} />
      <SelectField label="Expires after" value={days} onChange={({ target }) => setDays(Number(target.value))}>
        {lifetimesDays.map((life) => (
          <option key={life} value={life}>
            {life} days
          </option>
        ))}
      </SelectField>
      <NetworksField
        value={networks}
        problem={networksError}
        hint="Addresses or networks from which the token can be used, such as 192.0.2.0/24. Leave empty to allow all."
        onChange={setNetworks}
      />
    </FormDialog>
  )
}

/** The server's errors for a field, or for the items of its list. */
function fieldErrors(error: Error | null, field: string): string[] {
  if (!(error instanceof ApiFailure)) return []
  return [...error.fieldErrors].flatMap(([path, message]) =>
    path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`) ? message : [],
  )
}
