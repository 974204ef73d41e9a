/** The command palette: finds pages, items, and actions. */
import {
  Combobox,
  ComboboxInput,
  ComboboxOption,
  ComboboxOptions,
  Dialog,
  DialogBackdrop,
  DialogPanel,
} from '@headlessui/react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { type ReactNode, useDeferredValue, useState } from 'react'
import { type Command, commandGroups, type CommandGroup, searchGroups } from '#shell/commands.tsx'
import { searchResults } from '#shell/queries.ts'
import { mine } from '#workspaces/queries.ts'
import { useDeferredOpen } from '#ui/dialog.tsx'
import { Key } from '#ui/key.tsx'

interface PaletteProps {
  readonly open: boolean
  readonly onClose: () => void
  readonly onHelp: () => void
  /** What was typed before the field had the focus. */
  readonly typed: string
}

/** Opened by Ctrl K or Cmd K. Arrows move, Enter selects, Escape closes. */
export function Palette({ open, onClose, onHelp, typed }: PaletteProps) {
  const navigate = useNavigate()
  const isOpen = useDeferredOpen(open)
  function choose(command: Command | null): void {
    if (!command) return
    onClose()
    if (command.act === 'help') onHelp()
    else if (command.href) void navigate({ href: command.href })
    else command.run?.()
  }
  return (
    <Dialog open={isOpen} onClose={onClose} className="relative z-(--gl-z-overlay)" aria-label="Search everything">
      <DialogBackdrop
        transition
        className="fixed inset-0 z-(--gl-z-scrim) bg-scrim transition-opacity duration-(--gl-dur-base) data-closed:opacity-0"
      />
      <div className="fixed inset-0 z-(--gl-z-overlay) flex items-start justify-center p-4 pt-[12vh]">
        <DialogPanel
          transition
          data-floating
          className="w-full max-w-[36rem] overflow-hidden rounded-xl bg-raised shadow-dialog transition-[opacity,translate] duration-(--gl-dur-base) ease-out data-closed:translate-y-(--gl-nudge) data-closed:opacity-0"
        >
          {/* Typing opens the list of options; text that is already there opens it with the focus. */}
          <Combobox<Command | null> value={null} onChange={choose} immediate={typed !== ''}>
            <PaletteSearch typed={typed} />
          </Combobox>
        </DialogPanel>
      </div>
    </Dialog>
  )
}

function PaletteSearch({ typed }: Pick<PaletteProps, 'typed'>) {
  const [edited, setEdited] = useState<string>()
  const text = edited ?? typed
  const deferredText = useDeferredValue(text.trim())
  const query = useQuery({ ...searchResults(deferredText), enabled: deferredText.length > 0 })
  const own = useQuery({ ...mine(), enabled: deferredText.length > 0 })
  const pages = commandGroups(deferredText, own.data?.isAdministrator)
  const groups = [...pages, ...searchGroups(deferredText.length > 0 ? query.data : undefined)]
  const isEmpty = groups.length === 0 && !query.isFetching
  return (
    <>
      <div className="flex items-center gap-2.5 border-b border-line px-4 dark:border-line-strong">
        <Search aria-hidden="true" className="size-4 flex-none text-ink-3" />
        <ComboboxInput
          data-autofocus
          aria-label="Search everything"
          placeholder="Search risks, assets, targets, pages"
          autoComplete="off"
          // Shown until the text is edited; the input would clear a default value.
          displayValue={() => typed}
          onChange={(event) => setEdited(event.target.value)}
          className="h-12 w-full min-w-0 bg-transparent text-14/5 outline-none placeholder:text-ink-3 max-md:text-16"
        />
        <span className="max-md:hidden">
          <Key>Esc</Key>
        </span>
      </div>
      <ComboboxOptions static className="max-h-[50vh] overflow-y-auto p-[5px] empty:hidden">
        {groups.map((group) => (
          <Group key={group.title} group={group} />
        ))}
      </ComboboxOptions>
      {isEmpty && <p className="px-4 py-6 text-center text-ink-2">No results.</p>}
      <output className="sr-only">
        {deferredText && !query.isFetching
          ? `${groups.reduce((sum, { commands }) => sum + commands.length, 0)} found`
          : ''}
      </output>
    </>
  )
}

function Group({ group }: { readonly group: CommandGroup }): ReactNode {
  return (
    <div role="presentation" className="not-first:mt-1">
      <p aria-hidden="true" className="px-[9px] py-1.5 text-12 text-ink-3">
        {group.title}
      </p>
      {group.commands.map((command) => (
        <ComboboxOption
          key={command.key}
          value={command}
          className="flex min-h-9 cursor-default items-center gap-2.5 rounded-[6px] px-[9px] data-focus:bg-raised-hover max-md:min-h-11 [&_.lucide]:size-4 [&_.lucide]:text-ink-3"
        >
          {command.icon}
          <span className="sr-only">{group.title}: </span>
          <span className="min-w-0 truncate" title={command.name}>
            {command.name}
          </span>
          {command.subtitle && (
            <span className="ml-auto flex-none truncate pl-3 text-12 text-ink-3 max-md:hidden">{command.subtitle}</span>
          )}
        </ComboboxOption>
      ))}
    </div>
  )
}
