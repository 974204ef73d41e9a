import type { Issue } from '@glacis/contract/issue'
import { Eye, MoreHorizontal } from 'lucide-react'
import { actionWords, offered } from '#issues/actions.ts'
import { actionIcons } from '#issues/bulk-bar.tsx'
import type { ChosenStatus } from '#issues/queries.ts'
import { Menu } from '#ui/menu.tsx'
import { MenuAction, MenuLine } from '#ui/menu-entries.tsx'

interface RowMenuProps {
  readonly issue: Issue
  readonly onDecide: (status: ChosenStatus) => void
  readonly onPreview: () => void
}

/** What can be done with one row. `e` opens it; it shows while the row is pointed at or holds the focus. */
export function RowMenu({ issue, onDecide, onPreview }: RowMenuProps) {
  return (
    <span className="row-menu">
      <Menu
        label={`Actions for ${issue.name}`}
        button={<MoreHorizontal />}
        variant="ghost"
        size="xs"
        square
        buttonMark="data-row-menu"
      >
        <MenuAction icon={<Eye />} onClick={onPreview}>
          Preview
        </MenuAction>
        <MenuLine />
        {offered(issue.status).map((status) => (
          <MenuAction key={status} icon={actionIcons[status]} onClick={() => onDecide(status)}>
            {actionWords[status]}
          </MenuAction>
        ))}
      </Menu>
    </span>
  )
}
