/** Types of other modules that native checks use. */
import type { CheckTarget } from '#template/service-run.ts'

export type { CheckInfo } from '#template/template.ts'
export type IdentifiedService = CheckTarget['services'][number]
