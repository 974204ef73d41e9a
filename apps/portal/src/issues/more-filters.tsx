/** The less common filters of a risk list: one menu, plus a chip for each active filter. */
import type { Tag } from '@glacis/contract/tag'
import { ChevronDown } from 'lucide-react'
import { ageLabels, type RiskSearch } from '#issues/search.ts'
import { FilterMenu, FilterToggle } from '#ui/filter-bar.tsx'
import { Menu } from '#ui/menu.tsx'
import { MenuChoice, MenuDivider } from '#ui/menu-entries.tsx'

const ages = ['day', 'week', 'month'] as const
const epssSteps = [1, 10, 50, 90] as const
const flagLabels = {
  regressed: 'Regressed',
  fix: 'Vendor fix available',
  mine: 'Assigned to me',
  unassigned: 'Unassigned',
} as const
const flags = ['regressed', 'fix', 'mine', 'unassigned'] as const
type Flag = (typeof flags)[number]
/** Choosing one clears the other. */
const opposites: Partial<Record<Flag, Flag>> = { mine: 'unassigned', unassigned: 'mine' }

interface MoreFiltersProps {
  readonly search: RiskSearch
  readonly tags: readonly Tag[]
  readonly set: (change: RiskSearch) => void
}

export function MoreFilters({ search, tags, set }: MoreFiltersProps) {
  const { since, epss, tag = [] } = search
  const toggleFlag = (flag: Flag) => {
    const opposite = opposites[flag]
    set({ ...(opposite && { [opposite]: undefined }), [flag]: !search[flag] || undefined })
  }
  const toggleTag = (id: string) => {
    const chosen = tag.includes(id) ? tag.filter((tagId) => tagId !== id) : [...tag, id]
    set({ tag: chosen.length > 0 ? chosen : undefined })
  }
  return (
    <>
      <Menu
        place="bottom start"
        button={
          <>
            More
            <ChevronDown aria-hidden="true" className="-mr-0.5 text-ink-3" />
          </>
        }
      >
        <div className="max-h-[min(36rem,60dvh)] overflow-y-auto">
          {flags.map((trait) => (
            <MenuChoice key={trait} kind="checkbox" checked={search[trait] ?? false} onClick={() => toggleFlag(trait)}>
              {flagLabels[trait]}
            </MenuChoice>
          ))}
          <MenuDivider />
          {ages.map((age) => (
            <MenuChoice
              key={age}
              checked={since === age}
              onClick={() => set({ since: since === age ? undefined : age })}
            >
              First seen in the {ageLabels[age].toLowerCase()}
            </MenuChoice>
          ))}
          <MenuDivider />
          {epssSteps.map((step) => (
            <MenuChoice
              key={step}
              checked={epss === step}
              onClick={() => set({ epss: epss === step ? undefined : step })}
            >
              EPSS {step}% or higher
            </MenuChoice>
          ))}
          {tags.length > 0 && <MenuDivider />}
          {tags.map(({ id, name }) => (
            <MenuChoice key={id} kind="checkbox" checked={tag.includes(id)} onClick={() => toggleTag(id)}>
              Tag {name}
            </MenuChoice>
          ))}
        </div>
      </Menu>
      <MoreChips search={search} tags={tags} set={set} />
    </>
  )
}

function MoreChips({ search, tags, set }: MoreFiltersProps) {
  const { since, epss, cve, tag } = search
  return (
    <>
      {flags
        .filter((trait) => search[trait])
        .map((trait) => (
          <FilterToggle key={trait} label={flagLabels[trait]} on onChange={() => set({ [trait]: undefined })} />
        ))}
      {since && (
        <FilterMenu
          label="First seen"
          options={ages.map((age) => ({ value: age, label: ageLabels[age] }))}
          chosen={[since]}
          onChange={([chosen]) => set({ since: chosen })}
        />
      )}
      {epss && (
        <FilterMenu
          label="EPSS"
          options={epssSteps.map((step) => ({ value: String(step), label: `${step}% or higher` }))}
          chosen={[String(epss)]}
          onChange={([chosen]) => set({ epss: chosen ? Number(chosen) : undefined })}
        />
      )}
      {tag && (
        <FilterMenu
          label="Tag"
          many
          options={tags.map(({ id, name }) => ({ value: id, label: name }))}
          chosen={tag}
          onChange={(chosen) => set({ tag: chosen.length > 0 ? chosen : undefined })}
        />
      )}
      {cve && (
        <FilterMenu
          label="CVE"
          options={[{ value: cve, label: cve }]}
          chosen={[cve]}
          onChange={() => set({ cve: undefined })}
        />
      )}
    </>
  )
}
