/** The networks from which users can sign in, to the installation or a workspace. */
import type { CallName } from '@glacis/contract/permissions'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { errorAdvice } from '#api/advice.ts'
import { ApiFailure } from '#api/failure.ts'
import { Button } from '#ui/button.tsx'
import { ConfirmDialog } from '#ui/confirm-dialog.tsx'
import { NetworksField, networksProblem, parseNetworks } from '#ui/networks-field.tsx'
import { addToast } from '#ui/toasts.tsx'

interface NetworkChange {
  readonly networks: string[]
  readonly excludesYou?: boolean
  readonly replaces: string[]
}

interface SignInNetworksProps {
  readonly networks: readonly string[]
  readonly call: CallName
  /** Resolves to the saved networks. */
  readonly save: (change: NetworkChange) => Promise<readonly string[]>
  /** Why the user can't change them. */
  readonly denial?: string | undefined
}

export function SignInNetworks({ networks, call, save, denial }: SignInNetworksProps) {
  const saving = useMutation({ mutationFn: save })
  const [text, setText] = useState(networks.join('\n'))
  const [replaces, setReplaces] = useState([...networks])
  const [hasTried, setHasTried] = useState(false)
  const problem = networksProblem(text)
  const excluded = excludedAddress(saving.error)
  const send = (excludesYou: boolean) =>
    saving.mutate(
      { networks: parseNetworks(text), replaces, ...(excludesYou && { excludesYou }) },
      {
        onSuccess(saved) {
          setReplaces([...saved])
          addToast('success', { title: 'Success', message: 'The networks were saved.' })
        },
      },
    )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setHasTried(true)
    if (!problem) send(false)
  }
  return (
    <form noValidate onSubmit={submit} className="grid max-w-[440px] gap-4">
      <NetworksField
        value={text}
        disabled={denial !== undefined}
        problem={hasTried ? (problem ?? (excluded ? undefined : errorAdvice(saving.error))) : undefined}
        hint="Addresses or networks in CIDR notation, one per line. Leave empty to allow all. API tokens and agents aren't affected."
        onChange={setText}
      />
      {denial ? (
        <p className="text-12 text-ink-3">You can't change these settings. {denial}</p>
      ) : (
        <div>
          <Button type="submit" call={call} loading={saving.isPending}>
            Save networks
          </Button>
        </div>
      )}
      <ConfirmDialog
        open={excluded !== undefined}
        onClose={saving.reset}
        busy={saving.isPending}
        title="Save without your own address"
        description={`Your address, ${excluded ?? ''}, isn't in the list. You'll lose access from here with your next request.`}
        label="Save anyway"
        onConfirm={() => send(true)}
      />
    </form>
  )
}

function excludedAddress(error: Error | null): string | undefined {
  return error instanceof ApiFailure && error.reason === 'OWN_ADDRESS_EXCLUDED'
    ? String(error.metadata['address'])
    : undefined
}
