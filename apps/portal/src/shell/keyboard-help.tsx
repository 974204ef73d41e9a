/** The keyboard help dialog, with the setting that turns shortcuts off. */
import { Fragment } from 'react'
import { goToShortcuts, shortcutsFlag } from '#lib/keyboard.ts'
import { useStoredFlag } from '#lib/storage.ts'
import { navSections } from '#shell/navigation.tsx'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Checkbox } from '#ui/field.tsx'
import { Key } from '#ui/key.tsx'

type ShortcutRow = readonly [keys: readonly string[], meaning: string]
interface ShortcutSection {
  readonly title: string
  readonly lines: readonly ShortcutRow[]
}

const listPaths = new Set<string>([
  '/overview',
  ...navSections.flatMap((group) => group.entries.map(({ to }) => String(to))),
])

const sections: readonly ShortcutSection[] = [
  {
    title: 'Everywhere',
    lines: [
      [['Ctrl K'], 'Search everything'],
      [['?'], 'Show keyboard shortcuts'],
      [['/'], 'Search this list'],
      [['z'], 'Run the action of the latest notification, such as Undo'],
    ],
  },
  {
    title: 'Go to',
    lines: goToShortcuts.filter(({ href }) => listPaths.has(href)).map(({ key, label }) => [['g', key], label]),
  },
  {
    title: 'In a list',
    lines: [
      [['j'], 'Next row'],
      [['k'], 'Previous row'],
      [['Enter'], 'Open'],
      [['Space'], 'Preview a risk'],
      [['x'], 'Select'],
      [['Shift X'], 'Select range'],
      [['e'], 'Open actions menu'],
      [['Esc'], 'Clear selection'],
    ],
  },
  {
    title: 'On risks',
    lines: [
      [['r'], 'Resolve'],
      [['i'], 'Ignore'],
      [['o'], 'Reopen'],
      [['t'], 'Retest'],
      [['m'], 'Comment'],
    ],
  },
  {
    title: 'On scope, assets, and reporting',
    lines: [
      [['n'], 'Add target or start scan'],
      [['s'], 'Scan this target'],
      [['e'], 'Edit'],
      [['1'], 'First tab (2 for the second, …)'],
      [['c'], 'Copy address or cancel scan'],
      [['d'], 'Download report'],
    ],
  },
]

/** Opened by `?`. */
export function KeyboardHelp({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const [isOn, setIsOn] = useStoredFlag(shortcutsFlag, true)
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="Keyboard shortcuts"
      wide
      footer={
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className="columns-2 gap-x-8 max-md:columns-1">
        {sections.map(({ title, lines }) => (
          <section key={title} className="break-inside-avoid not-last:mb-5">
            <h3 className="mb-2 text-13 font-semibold">{title}</h3>
            <dl className="grid gap-1.5">
              {lines.map(([keys, meaning]) => (
                <div key={meaning} className="flex items-center justify-between gap-3">
                  <dt className="text-ink-2">{meaning}</dt>
                  <dd className="flex items-center gap-1">
                    {keys.map((key, index) => (
                      <Fragment key={key}>
                        {index > 0 && <span className="text-12 text-ink-3">then</span>}
                        <Key>{key}</Key>
                      </Fragment>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <div className="mt-5 border-t border-line pt-4 dark:border-line-strong">
        <Checkbox
          label="Enable keyboard shortcuts"
          hint="Ctrl K (Cmd K on a Mac) always opens the search."
          checked={isOn}
          onChange={(event) => setIsOn(event.target.checked)}
        />
      </div>
    </Dialog>
  )
}
