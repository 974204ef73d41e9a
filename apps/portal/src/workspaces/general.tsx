import type { Workspace } from '@glacis/contract/workspace'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ApiFailure } from '#api/failure.ts'
import { useDenial } from '#lib/role.ts'
import { updateMutation } from '#workspaces/queries.ts'
import { SettingsSection } from '#ui/settings-section.tsx'
import { Button } from '#ui/button.tsx'
import { SelectField, TextField } from '#ui/field.tsx'
import { addToast } from '#ui/toasts.tsx'

const zones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')]

/** Name, time zone, and retention. */
export function General({ workspace }: { readonly workspace: Workspace }) {
  const saving = useMutation(updateMutation)
  const denial = useDenial('updateWorkspace')
  const [name, setName] = useState(workspace.name)
  const [timeZone, setTimeZone] = useState(workspace.timeZone)
  const [replaces, setReplaces] = useState(() => changeableFields(workspace))
  const [historyDays, setHistoryDays] = useState(textOf(workspace.retention.historyDays))
  const [evidenceDays, setEvidenceDays] = useState(textOf(workspace.retention.evidenceDays))
  const [auditDays, setAuditDays] = useState(textOf(workspace.retention.auditDays))
  const errors = saving.error instanceof ApiFailure ? saving.error.fieldErrors : new Map<string, string>()
  const field = (path: string) => ({
    state: errors.has(path) ? ('error' as const) : ('default' as const),
    messages: [errors.get(path) ?? ''].filter(Boolean),
    disabled: denial !== undefined,
  })
  const save = (event: FormEvent) => {
    event.preventDefault()
    const retention = {
      historyDays: numberOf(historyDays),
      evidenceDays: numberOf(evidenceDays),
      auditDays: numberOf(auditDays),
    }
    saving.mutate(
      { workspace: { name, timeZone, retention }, replaces },
      {
        onSuccess(saved) {
          setReplaces(changeableFields(saved.workspace))
          addToast('success', { title: 'Success', message: 'The workspace was saved.' })
        },
      },
    )
  }
  return (
    <SettingsSection id="general" title="General" description="How the workspace appears, and how long data is kept.">
      <form noValidate onSubmit={save} className="grid max-w-[440px] gap-4">
        <TextField label="Name" value={name} onChange={({ target }) => setName(target.value)} {...field('name')} />
        <SelectField
          label="Time zone"
          hint="Determines when a day starts in charts and reports."
          value={timeZone}
          onChange={({ target }) => setTimeZone(target.value)}
          {...field('timeZone')}
        >
          {(zones.includes(timeZone) ? zones : [timeZone, ...zones]).map((zone) => (
            <option key={zone}>{zone}</option>
          ))}
        </SelectField>
        <TextField
          label="Days to keep scans and history"
          inputMode="numeric"
          hint="Leave empty to use the installation's setting."
          value={historyDays}
          onChange={({ target }) => setHistoryDays(target.value)}
          {...field('retention.historyDays')}
        />
        <TextField
          label="Days to keep the evidence of resolved risks"
          inputMode="numeric"
          hint="Leave empty to use the installation's setting."
          value={evidenceDays}
          onChange={({ target }) => setEvidenceDays(target.value)}
          {...field('retention.evidenceDays')}
        />
        <TextField
          label="Days to keep the audit log"
          inputMode="numeric"
          hint="Leave empty to keep it forever."
          value={auditDays}
          onChange={({ target }) => setAuditDays(target.value)}
          {...field('retention.auditDays')}
        />
        {denial ? (
          <p className="text-12 text-ink-3">You can't change these settings. {denial}</p>
        ) : (
          <div>
            <Button type="submit" variant="primary" loading={saving.isPending}>
              Save changes
            </Button>
          </div>
        )}
      </form>
    </SettingsSection>
  )
}

function changeableFields({ name, timeZone, retention }: Workspace) {
  return { name, timeZone, retention }
}

function textOf(days: number | null): string {
  return days === null ? '' : String(days)
}

/** Text that isn't a number is sent as 0, which the server rejects with the range. */
function numberOf(text: string): number | null {
  return text.trim() === '' ? null : Number.parseInt(text, 10) || 0
}
