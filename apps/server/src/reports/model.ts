/** What a report is made of. Whoever asks for one gathers this; rendering looks nothing up. */
import type { Issue } from '@glacis/contract/issue'
import type { SeverityCount } from '@glacis/contract/primitives'
import type { Scan } from '@glacis/contract/scan'

/** An open port as one line of the inventory. */
export interface ReportService {
  readonly port: number
  readonly transport: 'tcp' | 'udp'
  readonly tls?: boolean | undefined
  /** Empty where it was not recognised. */
  readonly protocol: string
  readonly product?: string | undefined
}
/** Software seen on a host. */
export interface ReportTechnology {
  readonly name: string
  readonly version: string
}
/** A host that answered, with what runs on it. */
export interface ReportHost {
  readonly address: string
  readonly name?: string | undefined
  readonly services: readonly ReportService[]
  readonly technologies: readonly ReportTechnology[]
}

/** Everything that is printed. */
export interface ReportModel {
  readonly account: { readonly name: string }
  /** ISO 8601; it is printed and becomes the date of the file, so equal models give equal reports. */
  readonly generatedAt: string
  readonly scan: Scan
  readonly target: { readonly name: string; readonly address: string }
  /** The completed scan before this one, to say which way things go. */
  readonly previous?: { readonly completeTime: string; readonly issueCount: SeverityCount } | undefined
  readonly hosts: readonly ReportHost[]
  /** Issues as they stand on the target, with its affected hosts alone and their evidence. */
  readonly issues: readonly Issue[]
}
