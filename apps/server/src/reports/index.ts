/** Reports: a scan as a downloadable file. */
export { createBuilds } from './builds.ts'
export { collectReport } from './collect.ts'
export { fileStem } from './file-stem.ts'
