/** `/assets/{id}/technologies` */
import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Layers } from 'lucide-react'
import { detail } from '#hosts/queries.ts'
import { partLabel, softwareName } from '#hosts/labels.ts'
import { FilterBar, SearchField } from '#ui/filter-bar.tsx'
import { ListBody } from '#ui/list.tsx'
import { EmptyState } from '#ui/states.tsx'
import { Cell, CellLink, HeaderCell, Table } from '#ui/table.tsx'

const route = getRouteApi('/_auth/assets/$id/technologies')

export function HostTechnologiesPage() {
  const { id } = route.useParams()
  const { q = '' } = route.useSearch()
  const navigate = route.useNavigate()
  const query = useSuspenseQuery(detail(id))
  const { inventory } = query.data.host
  const find = (text: string) => void navigate({ search: { q: text || undefined }, replace: true, resetScroll: false })
  const shown = inventory.filter((item) =>
    `${softwareName(item)} ${item.wfn.text}`.toLowerCase().includes(q.toLowerCase()),
  )
  return (
    <>
      {inventory.length > 0 && (
        <FilterBar search={<SearchField label="Search technologies" value={q} onChange={find} />} />
      )}
      <ListBody
        what="Technologies"
        query={query}
        count={shown.length}
        isFiltered={q !== ''}
        onClear={() => find('')}
        empty={
          <EmptyState icon={<Layers />} title="No software identified yet">
            Scans identify software by the banners and responses of its services.
          </EmptyState>
        }
      >
        <Table label="Technologies">
          <thead>
            <tr>
              <HeaderCell>Name</HeaderCell>
              <HeaderCell width={160} priority={2}>
                Kind
              </HeaderCell>
              <HeaderCell width={96} align="end">
                Port
              </HeaderCell>
              <HeaderCell className="w-[40%]" priority={1}>
                Identifier
              </HeaderCell>
            </tr>
          </thead>
          <tbody>
            {shown.map((item) => (
              <tr key={`${item.wfn.text} ${item.port ?? ''}`}>
                <Cell label="Name" primary>
                  {item.product ? (
                    <CellLink to="/technologies/$id" params={{ id: item.product.id }} title={softwareName(item)}>
                      <span className="ttl truncate">{softwareName(item)}</span>
                    </CellLink>
                  ) : (
                    <span className="ttl">{softwareName(item)}</span>
                  )}
                </Cell>
                <Cell label="Kind" priority={2} quiet>
                  {partLabel(item.wfn)}
                </Cell>
                <Cell label="Port" align="end" quiet>
                  {item.port ?? '–'}
                </Cell>
                <Cell label="Identifier" priority={1} quiet title={item.wfn.text}>
                  <span className="font-mono">{item.wfn.text}</span>
                </Cell>
              </tr>
            ))}
          </tbody>
        </Table>
      </ListBody>
    </>
  )
}
