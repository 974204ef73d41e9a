/**
 * The counts of one day and scope as thirty numbers: three blocks (all, verified, potential) of
 * ten. The first four of a block are issues by status from worst to best, the next five active
 * issues by severity, the last is the number of affected hosts.
 */
import type { VerificationFilter } from '@glacis/contract/issue'

export const slots = {
  regressive: 0,
  open: 1,
  ignored: 2,
  resolved: 3,
  critical: 4,
  high: 5,
  medium: 6,
  low: 7,
  unrated: 8,
  hosts: 9,
} as const
export const severitySlots: Readonly<Record<string, number>> = {
  CATEGORY_CRITICAL: slots.critical,
  CATEGORY_HIGH: slots.high,
  CATEGORY_MEDIUM: slots.medium,
  CATEGORY_LOW: slots.low,
}
export type Slot = keyof typeof slots

export const blockSize = 10
export const slotCount = 30
/** The scope of the whole workspace. */
export const wholeWorkspace = '00000000-0000-0000-0000-000000000000'

/** The block for a filter. */
export function blockOf(verification: VerificationFilter | undefined): 0 | 1 | 2 {
  if (verification === 'VERIFICATION_FILTER_VERIFIED') return 1
  return verification === 'VERIFICATION_FILTER_UNVERIFIED' ? 2 : 0
}

export function emptyDay(): number[] {
  return Array.from({ length: slotCount }, () => 0)
}

/** The value of a slot in a block; undefined if no day was closed. */
export function readSlot(counts: readonly number[] | null, block: number, slot: Slot): number {
  return counts?.[block * blockSize + slots[slot]] ?? 0
}
