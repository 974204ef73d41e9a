/** Targets: the domains, addresses, and networks to scan. */
export { createTag, deleteTag, listTags, updateTag } from '#targets/tags.ts'
export { parseTargets } from '#targets/parse.ts'
export { createTarget, deleteTargets, getTarget, updateTarget } from '#targets/targets.ts'
export { changeTargets } from '#targets/batch.ts'
export { describeTargets, describeTargetsBriefly } from '#targets/describe.ts'
export { listTargets } from '#targets/list.ts'
export { formatHours, nextOpening } from '#targets/schedule.ts'
export { recordResolution, scheduleNextScan } from '#targets/scan-updates.ts'
