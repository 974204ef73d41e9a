/** The overview with the "Start scan" button. */
import { OverviewPage } from '#overview/overview.tsx'
import { StartScanButton } from '#scans/start-scan.tsx'

export function OverviewScreen() {
  return <OverviewPage startScan={<StartScanButton />} />
}
