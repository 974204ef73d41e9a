/** Scans: one run over one target, from the request to the last batch. */
export { getScan, listScanEvents, listScans } from '#scans/list.ts'
export { cancelOfTarget, cancelScan, startScan } from '#scans/start.ts'
export { planScan } from '#scans/plan.ts'
export { runBatch, type Scanning } from '#scans/run.ts'
export { failStalled, startDue } from '#scans/sweep.ts'
