/** Targets: what a person asked us to watch. */
export { createTag, listTags } from '#targets/tags.ts'
export { createTarget, deleteTarget, getTarget, listTargets, parseTargets, updateTarget } from '#targets/targets.ts'
export { describeTargets } from '#targets/describe.ts'
export { nextScanAt } from '#targets/schedule.ts'
