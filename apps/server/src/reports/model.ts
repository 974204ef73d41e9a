/** The complete input of a report; rendering loads nothing else. */
import type { Issue } from '@glacis/contract/issue'
import type { SeverityCount } from '@glacis/contract/primitives'
import type { Scan } from '@glacis/contract/scan'

/** An open port, one line of the inventory. */
export interface ReportService {
  readonly port: number
  readonly transport: 'tcp' | 'udp'
  readonly tls?: boolean | undefined
  /** Empty if not recognized. */
  readonly protocol: string
  readonly product?: string | undefined
}
/** Software detected on a host. */
export interface ReportTechnology {
  readonly name: string
  readonly version: string
}
/** A host that responded, with its services and software. */
export interface ReportHost {
  readonly address: string
  readonly name?: string | undefined
  readonly services: readonly ReportService[]
  readonly technologies: readonly ReportTechnology[]
}

/** An issue with the key of its threat: the CVE, or the ID of the check. Unlike IDs, it is the same in every installation. */
export type ReportIssue = Issue & { readonly threatKey: string }

/** All data of a report. */
export interface ReportModel {
  readonly account: { readonly name: string }
  /** ISO 8601. Printed and used as the file's date, so equal models render to equal files. */
  readonly generatedAt: string
  readonly scan: Scan
  readonly target: { readonly name: string; readonly address: string }
  /** The previous completed scan, for the comparison. */
  readonly previous?: { readonly completeTime: string; readonly issueCount: SeverityCount } | undefined
  readonly hosts: readonly ReportHost[]
  /**
   * Issues with their current status on the target, its affected hosts only, and their evidence.
   */
  readonly issues: readonly ReportIssue[]
}
