import type { Flow, InputNode } from '@glacis/contract/identity'
import { LogIn } from 'lucide-react'
import { inputsOf } from '#identity/nodes.ts'
import { SettingsForm } from '#profile/settings-form.tsx'
import { SettingsHeading, SettingsList, SettingsRow } from '#ui/settings-section.tsx'
import { Button } from '#ui/button.tsx'

/** Social providers for signing in. */
export function Providers({ flow }: { readonly flow: Flow }) {
  const nodes = inputsOf(flow.ui.nodes, 'oidc')
  if (nodes.length === 0) return null
  return (
    <>
      <SettingsHeading>Social providers</SettingsHeading>
      <SettingsList label="Social providers">
        {nodes.map((node) => (
          <SettingsRow
            key={`${node.attributes.name}:${String(node.attributes.value)}`}
            icon={<LogIn />}
            name={providerOf(node)}
            detail={isLinked(node) ? 'Linked' : 'Not linked'}
          >
            <SettingsForm flow={flow} submitter={node}>
              {({ isPending }) => (
                <Button
                  type="submit"
                  size="sm"
                  loading={isPending}
                  disabled={node.attributes.disabled}
                  aria-label={node.meta.label?.text}
                >
                  {isLinked(node) ? 'Unlink' : 'Link'}
                </Button>
              )}
            </SettingsForm>
          </SettingsRow>
        ))}
      </SettingsList>
    </>
  )
}

function isLinked({ attributes }: InputNode): boolean {
  return attributes.name === 'unlink'
}

function providerOf({ attributes, meta }: InputNode): string {
  const name = meta.label?.context?.['provider']
  return typeof name === 'string' ? name : String(attributes.value)
}
