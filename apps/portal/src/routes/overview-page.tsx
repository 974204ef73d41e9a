/** The overview, with the button that starts a scan. */
import { OverviewPage } from '#overview/overview.tsx'
import { StartScanButton } from '#scans/start-scan.tsx'

export function OverviewScreen() {
  return <OverviewPage startScan={<StartScanButton />} />
}
