import type { Issue } from '@glacis/contract/issue'
import { Eye, MoreHorizontal } from 'lucide-react'
import { actionLabels, availableActions } from '#issues/actions.ts'
import { actionIcons } from '#issues/bulk-bar.tsx'
import type { SettableStatus } from '#issues/queries.ts'
import { Menu } from '#ui/menu.tsx'
import { MenuAction, MenuDivider } from '#ui/menu-entries.tsx'

interface RowMenuProps {
  readonly issue: Issue
  readonly onSetStatus: (status: SettableStatus) => void
  readonly onPreview: () => void
}

/** The actions of a row. Visible while the row is hovered or focused; `e` opens it. */
export function RowMenu({ issue, onSetStatus, onPreview }: RowMenuProps) {
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
        <MenuDivider />
        {availableActions(issue.status).map((status) => (
          <MenuAction key={status} call="setIssueStatus" icon={actionIcons[status]} onClick={() => onSetStatus(status)}>
            {actionLabels[status]}
          </MenuAction>
        ))}
      </Menu>
    </span>
  )
}
