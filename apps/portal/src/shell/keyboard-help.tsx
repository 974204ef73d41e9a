/** The map of the keyboard, and the switch that turns its keys off. */
import { Fragment } from 'react'
import { places, shortcutsFlag } from '#lib/keyboard.ts'
import { useStoredFlag } from '#lib/storage.ts'
import { placeGroups } from '#shell/navigation.tsx'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Checkbox } from '#ui/field.tsx'
import { Key } from '#ui/key.tsx'

type Line = readonly [keys: readonly string[], meaning: string]
interface Part {
  readonly title: string
  readonly lines: readonly Line[]
}

const known = new Set<string>([
  '/overview',
  ...placeGroups.flatMap((group) => group.places.map(({ to }) => String(to))),
])

const parts: readonly Part[] = [
  {
    title: 'Everywhere',
    lines: [
      [['Ctrl K'], 'Search everything'],
      [['?'], 'This map'],
      [['/'], 'Search in the list'],
      [['z'], 'What a notice offers, such as Undo'],
    ],
  },
  {
    title: 'Go to',
    lines: places.filter(({ href }) => known.has(href)).map(({ key, label }) => [['g', key], label]),
  },
  {
    title: 'In a list',
    lines: [
      [['j'], 'Next row'],
      [['k'], 'Row before'],
      [['Enter'], 'Open'],
      [['Space'], 'Preview a risk'],
      [['x'], 'Select'],
      [['Shift X'], 'Select up to here'],
      [['e'], 'What can be done'],
      [['Esc'], 'Drop the selection'],
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
    title: 'On scope, assets and scans',
    lines: [
      [['n'], 'Add, or start a scan'],
      [['s'], 'Start a scan of this target'],
      [['e'], 'Edit'],
      [['1'], 'First tab, and so on'],
      [['c'], 'Copy an address, cancel a scan'],
      [['d'], 'Download the report'],
    ],
  },
]

/** `?` opens it. */
export function KeyboardHelp({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const [isOn, setIsOn] = useStoredFlag(shortcutsFlag, true)
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="Keyboard"
      wide
      footer={
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className="columns-2 gap-x-8 max-md:columns-1">
        {parts.map(({ title, lines }) => (
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
          label="Use these keys"
          hint="Search everything stays on Ctrl K either way, Cmd K on a Mac."
          checked={isOn}
          onChange={(event) => setIsOn(event.target.checked)}
        />
      </div>
    </Dialog>
  )
}
