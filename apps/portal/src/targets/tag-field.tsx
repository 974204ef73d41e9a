/** Combobox for a target's tags. Typing a new name offers to create the tag. */
import { Combobox, ComboboxInput, ComboboxOption, ComboboxOptions } from '@headlessui/react'
import type { Tag } from '@glacis/contract/tag'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Plus, X } from 'lucide-react'
import { useState } from 'react'
import { useDenial } from '#lib/role.ts'
import { createTagMutation, tags as tagsQuery } from '#targets/queries.ts'
import { Badge, tagColor } from '#ui/badge.tsx'
import { Field } from '#ui/field.tsx'

interface TagFieldProps {
  readonly value: readonly Tag[]
  readonly onChange: (tags: readonly Tag[]) => void
  readonly problem: string | undefined
}

const nameLengthMax = 40

export function TagField({ value, onChange, problem }: TagFieldProps) {
  const known = useQuery(tagsQuery()).data?.tags ?? []
  const make = useMutation(createTagMutation)
  const [text, setText] = useState('')
  const name = text.trim()
  const isDenied = useDenial('createTag') !== undefined
  const chosen = new Set(value.map(({ id }) => id))
  const found = known.filter((tag) => !chosen.has(tag.id) && tag.name.toLowerCase().includes(name.toLowerCase()))
  const isNew = !isDenied && name !== '' && !known.some((tag) => tag.name.toLowerCase() === name.toLowerCase())
  const add = (tag: Tag) => {
    onChange([...value, tag])
    setText('')
  }
  const choose = (option: Tag | 'new' | null) => {
    if (option === 'new') make.mutate({ name, color: known.length % 10 }, { onSuccess: ({ tag }) => add(tag) })
    else if (option) add(option)
  }
  return (
    <Field label="Tags" optional state={problem ? 'error' : 'default'} messages={problem ? [problem] : []}>
      {(wiring) => (
        <Combobox<Tag | 'new' | null> value={null} onChange={choose} immediate>
          <div className="flex min-h-9 flex-wrap items-center gap-1.5 rounded-md border border-control bg-surface px-2 py-1.5 has-focus-visible:outline-2 has-focus-visible:-outline-offset-1 has-focus-visible:outline-focus dark:bg-n2">
            {value.map((tag) => (
              <Badge key={tag.id} variant={tagColor(tag.color)}>
                {tag.name}
                <button
                  type="button"
                  aria-label={`Remove tag ${tag.name}`}
                  className="-mr-1 grid size-6 place-items-center"
                  onClick={() => onChange(value.filter(({ id }) => id !== tag.id))}
                >
                  <X className="size-3" aria-hidden="true" />
                </button>
              </Badge>
            ))}
            <ComboboxInput
              {...wiring}
              className="h-6 min-w-24 flex-1 bg-transparent text-14/5 focus:outline-none max-md:text-16"
              autoComplete="off"
              maxLength={nameLengthMax}
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
              onKeyDown={(event) => {
                if (event.key === 'Backspace' && text === '' && value.length > 0) onChange(value.slice(0, -1))
              }}
            />
          </div>
          <ComboboxOptions
            modal={false}
            anchor={{ to: 'bottom start', gap: 4 }}
            className="z-(--gl-z-menu) w-(--input-width) min-w-60 rounded-lg bg-raised p-[5px] shadow-menu empty:invisible"
          >
            {found.map((tag) => (
              <ComboboxOption
                key={tag.id}
                value={tag}
                className="flex min-h-8 items-center rounded-[6px] px-[9px] data-focus:bg-raised-hover"
              >
                <Badge variant={tagColor(tag.color)}>{tag.name}</Badge>
              </ComboboxOption>
            ))}
            {isNew && (
              <ComboboxOption
                value="new"
                className="flex min-h-8 items-center gap-2 rounded-[6px] px-[9px] data-focus:bg-raised-hover"
              >
                <Plus className="size-4 text-ink-3" aria-hidden="true" />
                Create tag “{name}”
              </ComboboxOption>
            )}
          </ComboboxOptions>
        </Combobox>
      )}
    </Field>
  )
}
