import type { Target } from '@glacis/contract/target'
import { useMutation } from '@tanstack/react-query'
import { Pause, Play } from 'lucide-react'
import { update } from '#targets/queries.ts'
import { MenuAction } from '#ui/menu-entries.tsx'

/** Pauses or resumes the schedule of a target. */
export function PauseAction({ target }: { readonly target: Target }) {
  const { mutate } = useMutation(update)
  const isPaused = target.pauseTime !== undefined
  const toggle = () =>
    mutate({
      id: target.id,
      paused: !isPaused,
      tags: target.tags.map(({ id }) => ({ id })),
      updateMask: { paths: ['paused'] },
    })
  return (
    <MenuAction icon={isPaused ? <Play /> : <Pause />} onClick={toggle}>
      {isPaused ? 'Resume' : 'Pause'}
    </MenuAction>
  )
}
