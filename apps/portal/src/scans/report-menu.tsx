/** The report of a finished scan, in each format it comes in. */
import { Braces, ChevronDown, FileDown, FileText, ScanSearch, Table } from 'lucide-react'
import { reportAddress, tableAddress } from '#scans/queries.ts'
import { Menu } from '#ui/menu.tsx'
import { MenuAnchor } from '#ui/menu-entries.tsx'

interface ReportMenuProps {
  readonly scanId: string
  /** Names the scan to those who do not see its row. */
  readonly of: string
  /** `row`: an icon alone. */
  readonly look?: 'row' | 'primary'
}

export function ReportMenu({ scanId, of, look = 'row' }: ReportMenuProps) {
  const isRow = look === 'row'
  return (
    <Menu
      {...(isRow && { label: `Download report of ${of}` })}
      variant={isRow ? 'ghost' : 'primary'}
      size={isRow ? 'xs' : 'sm'}
      square={isRow}
      button={
        isRow ? (
          <FileDown aria-hidden="true" />
        ) : (
          <>
            <FileDown aria-hidden="true" />
            Download report
            <ChevronDown aria-hidden="true" />
          </>
        )
      }
    >
      <MenuAnchor href={reportAddress(scanId)} download icon={<FileText />} end="for reading">
        PDF
      </MenuAnchor>
      <MenuAnchor href={tableAddress(scanId)} download icon={<Table />} end="for spreadsheets">
        CSV
      </MenuAnchor>
      <MenuAnchor href={reportAddress(scanId, 'json')} download icon={<Braces />} end="for machines">
        JSON
      </MenuAnchor>
      <MenuAnchor href={reportAddress(scanId, 'sarif')} download icon={<ScanSearch />} end="for code hosts">
        SARIF
      </MenuAnchor>
    </Menu>
  )
}
