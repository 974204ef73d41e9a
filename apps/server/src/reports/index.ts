/** Reports: a scan as a file that can be handed on. */
export { createBuilds } from './builds.ts'
export { collectReport } from './collect.ts'
