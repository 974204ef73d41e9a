import { IssueListPage } from '#issues/risk-list.tsx'
import { StartScanButton } from '#scans/start-scan.tsx'

export function VerifiedRisksScreen() {
  return <IssueListPage verification="VERIFICATION_VERIFIED" startScan={<StartScanButton />} />
}

export function PotentialRisksScreen() {
  return <IssueListPage verification="VERIFICATION_UNVERIFIED" startScan={<StartScanButton />} />
}
