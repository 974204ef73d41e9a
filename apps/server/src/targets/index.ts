/** Targets: what a person asked us to watch. */
export { createTag, deleteTag, listTags, updateTag } from '#targets/tags.ts'
export { parseTargets } from '#targets/parse.ts'
export { createTarget, deleteTargets, getTarget, updateTarget } from '#targets/targets.ts'
export { changeTargets } from '#targets/batch.ts'
export { describeTargets, nameTargets } from '#targets/describe.ts'
export { listTargets } from '#targets/list.ts'
export { hoursInWords, opening } from '#targets/schedule.ts'
export { noteResolution, noteScan } from '#targets/notes.ts'
