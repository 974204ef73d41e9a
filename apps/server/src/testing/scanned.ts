/** The doors through which a scan reaches issues, for the tests of rooms that may not open them themselves. */
export { describeHosts } from '#inventory/index.ts'
export { listIssues, reprioritise } from '#issues/index.ts'
export { ingest } from '#scans/ingest.ts'
export { startScan } from '#scans/index.ts'
export { describeTargets } from '#targets/index.ts'
