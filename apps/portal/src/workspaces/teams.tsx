/** Teams: tags with members, to whom email channels can send the events of the tagged targets. */
import type { Tag } from '@glacis/contract/tag'
import type { Member } from '@glacis/contract/workspace'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { errorAdvice } from '#api/advice.ts'
import { members } from '#workspaces/queries.ts'
import { changeTeam, createTeam, removeTeam, tags } from '#workspaces/teams-queries.ts'
import { Badge, tagColor } from '#ui/badge.tsx'
import { Button } from '#ui/button.tsx'
import { ConfirmMutation } from '#ui/confirm-mutation.tsx'
import { Checkbox, TextField } from '#ui/field.tsx'
import { FormDialog } from '#ui/form-dialog.tsx'
import { SettingsList, SettingsRow, SettingsSection } from '#ui/settings-section.tsx'
import { SectionError } from '#ui/states.tsx'

export function Teams() {
  const { data, isError, refetch } = useQuery(tags())
  const people = useQuery(members()).data?.members ?? []
  const [editing, setEditing] = useState<Tag | 'new'>()
  const [removing, setRemoving] = useState<Tag>()
  const teams = data?.tags.filter(({ team }) => team !== undefined) ?? []
  return (
    <SettingsSection
      id="teams"
      title="Teams"
      description="A team is a tag with members. Tag the targets that it is responsible for; email channels can notify it."
    >
      {isError && !data && <SectionError what="The teams" onRetry={() => void refetch()} />}
      {teams.length > 0 && (
        <div className="mb-3">
          <SettingsList label="Teams">
            {teams.map((tag) => (
              <SettingsRow
                key={tag.id}
                name={<Badge variant={tagColor(tag.color)}>{tag.name}</Badge>}
                detail={namesOf(tag, people)}
              >
                <Button size="sm" call="updateTag" aria-label={`Edit ${tag.name}`} onClick={() => setEditing(tag)}>
                  Edit
                </Button>
                <Button size="sm" call="deleteTag" aria-label={`Remove ${tag.name}`} onClick={() => setRemoving(tag)}>
                  Remove
                </Button>
              </SettingsRow>
            ))}
          </SettingsList>
        </div>
      )}
      <Button call="createTag" onClick={() => setEditing('new')}>
        Add team
      </Button>
      {editing && (
        <TeamDialog
          tag={editing === 'new' ? undefined : editing}
          people={people}
          color={(data?.tags.length ?? 0) % 10}
          onClose={() => setEditing(undefined)}
        />
      )}
      <ConfirmMutation
        mutation={removeTeam}
        input={removing?.id}
        onClose={() => setRemoving(undefined)}
        title={`Remove ${removing?.name ?? 'team'}`}
        description="The tag is removed from all targets and risks. Its members remain in the workspace."
        label="Remove team"
      />
    </SettingsSection>
  )
}

function namesOf({ team }: Tag, people: readonly Member[]): string {
  const names = people.filter(({ id }) => team?.memberIds.includes(id)).map(({ name }) => name)
  return names.length > 0 ? names.join(', ') : 'No members'
}

interface TeamDialogProps {
  /** Undefined for a new team. */
  readonly tag: Tag | undefined
  readonly people: readonly Member[]
  /** The color of a new tag. */
  readonly color: number
  readonly onClose: () => void
}

function TeamDialog({ tag, people, color, onClose }: TeamDialogProps) {
  const creation = useMutation(createTeam)
  const change = useMutation(changeTeam)
  const [name, setName] = useState(tag?.name ?? '')
  const [memberIds, setMemberIds] = useState<ReadonlySet<string>>(new Set(tag?.team?.memberIds))
  const [isNameless, setIsNameless] = useState(false)
  const save = () => {
    const input = { name: name.trim(), memberIds: people.map(({ id }) => id).filter((id) => memberIds.has(id)) }
    setIsNameless(input.name === '')
    if (input.name === '') return
    if (tag) change.mutate({ id: tag.id, ...input }, { onSuccess: onClose })
    else creation.mutate({ ...input, color }, { onSuccess: onClose })
  }
  return (
    <FormDialog
      onClose={onClose}
      busy={creation.isPending || change.isPending}
      problem={errorAdvice(creation.error ?? change.error)}
      title={tag ? `Edit ${tag.name}` : 'Add team'}
      label={tag ? 'Save team' : 'Add team'}
      call={tag ? 'updateTag' : 'createTag'}
      onSubmit={save}
    >
      <TextField
        label="Name"
        data-autofocus
        maxLength={40}
        value={name}
        state={isNameless ? 'error' : 'default'}
        messages={isNameless ? ['Required'] : []}
        hint="Also the name of the tag"
        onChange={({ target }) => {
          setName(target.value)
          setIsNameless(false)
        }}
      />
      <fieldset>
        <legend className="mb-1.5 leading-4.5 font-medium">Members</legend>
        <div className="grid max-h-64 gap-2 overflow-y-auto p-px">
          {people.map((person) => (
            <Checkbox
              key={person.id}
              label={person.name}
              hint={person.email}
              checked={memberIds.has(person.id)}
              onChange={() => setMemberIds(memberIds.symmetricDifference(new Set([person.id])))}
            />
          ))}
        </div>
      </fieldset>
    </FormDialog>
  )
}
