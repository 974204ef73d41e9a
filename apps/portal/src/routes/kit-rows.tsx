/** The pieces of the kit that stand in tables and beside text. */
import { Avatar } from '#ui/avatar.tsx'
import { Button } from '#ui/button.tsx'
import { Key } from '#ui/key.tsx'
import { AbsoluteTime, RelativeTime } from '#ui/relative-time.tsx'
import { SeverityCells, SeverityHeads } from '#ui/severity-columns.tsx'
import { SkeletonRows } from '#ui/skeleton.tsx'
import { Spinner } from '#ui/spinner.tsx'
import { ErrorState } from '#ui/states.tsx'
import { Cell, HeaderCell, StackedName, Table } from '#ui/table.tsx'
import { TextAreaField } from '#ui/text-area.tsx'
import { Tooltip } from '#ui/tooltip.tsx'

const counts = { critical: 2, high: 5, medium: 8, low: 0 }

/** A table with rows and one on its way, a failed list, a long text, and the small things. */
export function KitRows() {
  return (
    <>
      <div className="holds-tables">
        <Table label="Targets" tall>
          <Heads />
          <tbody>
            <tr>
              <Cell label="Target" primary>
                <StackedName name="DMZ Bern" detail="192.0.2.0/24" />
              </Cell>
              <SeverityCells counts={counts} />
            </tr>
            <tr>
              <Cell label="Target" primary>
                <StackedName name="Public web" detail="www.example.com" />
              </Cell>
              <SeverityCells counts={undefined} />
            </tr>
          </tbody>
        </Table>
        <Table label="Targets on their way">
          <Heads />
          <tbody>
            <SkeletonRows rows={3} columns={5} />
          </tbody>
        </Table>
      </div>
      <ErrorState title="Risks could not be loaded" message="The server answered 503." onRetry={() => {}} />
      <TextAreaField label="Comment" optional hint="Everyone of the account can read it." />
      <div className="flex flex-wrap items-center gap-4">
        <Avatar name="Nora Ammann" />
        <Avatar name="Nora Ammann" large />
        <Key>Ctrl K</Key>
        <Spinner />
        <RelativeTime value="2026-11-20T22:42:00Z" />
        <AbsoluteTime value="2026-11-20T22:42:00Z" />
        <Tooltip label="What it is for" describes>
          <Button size="sm">With a tooltip</Button>
        </Tooltip>
      </div>
    </>
  )
}

function Heads() {
  return (
    <thead>
      <tr>
        <HeaderCell sort="ascending" onSort={() => {}}>
          Target
        </HeaderCell>
        <SeverityHeads />
      </tr>
    </thead>
  )
}
