/** Menu for downloading a scan's report. */
import { Braces, ChevronDown, FileDown, FileText, ScanSearch, Table } from 'lucide-react'
import { reportUrl, csvUrl } from '#scans/queries.ts'
import { Menu } from '#ui/menu.tsx'
import { MenuAnchor } from '#ui/menu-entries.tsx'

interface ReportMenuProps {
  readonly scanId: string
  /** Name of the scan for the menu's accessible label. */
  readonly of: string
  /** `row` shows only an icon. */
  readonly variant?: 'row' | 'primary'
}

export function ReportMenu({ scanId, of, variant = 'row' }: ReportMenuProps) {
  const isRow = variant === 'row'
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
      <MenuAnchor href={reportUrl(scanId)} download icon={<FileText />} end="for sharing">
        PDF
      </MenuAnchor>
      <MenuAnchor href={csvUrl(scanId)} download icon={<Table />} end="for spreadsheets">
        CSV
      </MenuAnchor>
      <MenuAnchor href={reportUrl(scanId, 'json')} download icon={<Braces />} end="for scripts">
        JSON
      </MenuAnchor>
      <MenuAnchor href={reportUrl(scanId, 'sarif')} download icon={<ScanSearch />} end="for code scanning">
        SARIF
      </MenuAnchor>
    </Menu>
  )
}
