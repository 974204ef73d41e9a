import type { Flow } from '@glacis/contract/identity'
import { isButton } from '#identity/body.ts'
import { NodeField } from '#identity/node-field.tsx'
import { inputsOf, isNamePart, namesFirst } from '#identity/nodes.ts'
import { cx } from '#lib/cx.ts'
import { SettingsForm } from '#profile/settings-form.tsx'
import { SettingsSection } from '#ui/settings-section.tsx'
import { Button } from '#ui/button.tsx'

/** Name and email address, as far as the service allows changing them. */
export function PersonalInfo({ flow }: { readonly flow: Flow }) {
  const nodes = inputsOf(namesFirst(flow.ui.nodes), 'profile')
  const save = nodes.find(isButton)
  if (!save) return null
  return (
    <SettingsSection id="personal-info" title="Personal Info" description="Your name appears in reports.">
      <SettingsForm flow={flow} submitter={save} className="grid grid-cols-2 gap-x-3 gap-y-4">
        {({ isPending, clientErrors }) => (
          <>
            {nodes
              .filter((node) => !isButton(node))
              .map((node) => (
                <div key={node.attributes.name} className={cx('min-w-0', !isNamePart(node) && 'col-span-2')}>
                  <NodeField node={node} clientErrors={clientErrors} />
                </div>
              ))}
            <div className="col-span-2">
              <Button type="submit" variant="primary" loading={isPending}>
                Save details
              </Button>
            </div>
          </>
        )}
      </SettingsForm>
    </SettingsSection>
  )
}
