/** The filters of a risk list that are asked for less often. */
import type { Tag } from '@glacis/contract/tag'
import { ChevronDown } from 'lucide-react'
import { ageWords, type RiskSearch } from '#issues/search.ts'
import { FilterMenu, FilterToggle } from '#ui/filter-bar.tsx'
import { Menu } from '#ui/menu.tsx'
import { MenuChoice, MenuLine } from '#ui/menu-entries.tsx'

const ages = ['day', 'week', 'month'] as const
const epssSteps = [1, 10, 50, 90] as const
const traits = { regressed: 'Regressed', fix: 'Vendor fix available', mine: 'Assigned to me' } as const
const traitNames = ['regressed', 'fix', 'mine'] as const

interface MoreFiltersProps {
  readonly search: RiskSearch
  readonly tags: readonly Tag[]
  readonly set: (change: RiskSearch) => void
}

/** What is asked less often stands in one menu; each has a chip of its own while it is on. */
export function MoreFilters({ search, tags, set }: MoreFiltersProps) {
  const { since, epss, tag = [] } = search
  const toggleTag = (id: string) => {
    const chosen = tag.includes(id) ? tag.filter((one) => one !== id) : [...tag, id]
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
        <div className="max-h-96 overflow-y-auto">
          {traitNames.map((trait) => (
            <MenuChoice
              key={trait}
              kind="checkbox"
              checked={search[trait] ?? false}
              onClick={() => set({ [trait]: !search[trait] || undefined })}
            >
              {traits[trait]}
            </MenuChoice>
          ))}
          <MenuLine />
          {ages.map((age) => (
            <MenuChoice
              key={age}
              checked={since === age}
              onClick={() => set({ since: since === age ? undefined : age })}
            >
              First seen in the {ageWords[age].toLowerCase()}
            </MenuChoice>
          ))}
          <MenuLine />
          {epssSteps.map((step) => (
            <MenuChoice
              key={step}
              checked={epss === step}
              onClick={() => set({ epss: epss === step ? undefined : step })}
            >
              EPSS {step}% or more
            </MenuChoice>
          ))}
          {tags.length > 0 && <MenuLine />}
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
      {traitNames
        .filter((trait) => search[trait])
        .map((trait) => (
          <FilterToggle key={trait} label={traits[trait]} on onChange={() => set({ [trait]: undefined })} />
        ))}
      {since && (
        <FilterMenu
          label="First seen"
          options={ages.map((age) => ({ value: age, label: ageWords[age] }))}
          chosen={[since]}
          onChange={([chosen]) => set({ since: chosen })}
        />
      )}
      {epss && (
        <FilterMenu
          label="EPSS"
          options={epssSteps.map((step) => ({ value: String(step), label: `${step}% or more` }))}
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
