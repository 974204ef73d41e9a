/**
 * The role of the signed-in user in the workspace, and what it allows. The server decides; the portal only avoids
 * offering what would be rejected.
 */
import { type CallName, isAllowed, roleMessage } from '@glacis/contract/permissions'
import type { Role } from '@glacis/contract/role'
import { useSyncExternalStore } from 'react'

let role: Role | undefined
const listeners = new Set<() => void>()

/** Set with every response that contains the role. */
export function setRole(next: Role | undefined): void {
  if (next === role) return
  role = next
  for (const listener of listeners) listener()
}

/** Undefined until the workspace has loaded. */
export function knownRole(): Role | undefined {
  return role
}

/** `knownRole` for components. */
export function useRole(): Role | undefined {
  return useSyncExternalStore(subscribe, knownRole)
}

/** Why the role doesn't allow a call, in a sentence. Undefined if it does, without a call, or until the role is known. */
export function denialOf(call: CallName | undefined): string | undefined {
  return call && role && !isAllowed(role, call) ? `${roleMessage(role, call)}.` : undefined
}

/** `denialOf` for components. */
export function useDenial(call: CallName | undefined): string | undefined {
  return useSyncExternalStore(subscribe, () => denialOf(call))
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
