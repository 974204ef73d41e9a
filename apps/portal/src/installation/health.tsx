import type { HealthCheck } from '@glacis/contract/installation'
import { useQuery } from '@tanstack/react-query'
import { CircleAlert, CircleCheck, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { sentence } from '#api/advice.ts'
import { checks } from '#installation/queries.ts'
import { Button } from '#ui/button.tsx'
import { SettingsList, SettingsRow, SettingsSection } from '#ui/settings-section.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { SectionError } from '#ui/states.tsx'

const icons: Readonly<Record<HealthCheck['level'], ReactNode>> = {
  LEVEL_OK: <CircleCheck aria-label="OK" className="text-green-ink" />,
  LEVEL_WARNING: <TriangleAlert aria-label="Warning" className="text-yellow-ink" />,
  LEVEL_ERROR: <CircleAlert aria-label="Error" className="text-red-ink" />,
}

/** What needs a fix is listed first. */
const order: readonly HealthCheck['level'][] = ['LEVEL_ERROR', 'LEVEL_WARNING', 'LEVEL_OK']

/** The checks of `glacis doctor`. */
export function Health() {
  const { data, isError, isFetching, refetch } = useQuery(checks())
  return (
    <SettingsSection
      id="health"
      title="Health"
      description="Results of the glacis doctor command, with a fix for each problem."
    >
      {isError && !data && <SectionError what="Health checks" onRetry={() => void refetch()} />}
      {!data && !isError && <Skeleton className="w-2/3" />}
      {data && (
        <>
          <SettingsList label="Health checks">
            {data.checks
              .toSorted((a, b) => order.indexOf(a.level) - order.indexOf(b.level))
              .map(({ name, level, text }) => (
                <SettingsRow key={name + text} icon={icons[level]} name={names[name] ?? name} detail={sentence(text)} />
              ))}
          </SettingsList>
          <div className="mt-3">
            <Button loading={isFetching} onClick={() => void refetch()}>
              Check again
            </Button>
          </div>
        </>
      )}
    </SettingsSection>
  )
}

const names: Readonly<Record<string, string>> = {
  node: 'Node.js',
  disk: 'Disk',
  email: 'Email',
  backup: 'Backups',
  database: 'Database',
  schema: 'Database schema',
  clock: 'Clock',
  feeds: 'Feeds',
  agents: 'Agents',
}
