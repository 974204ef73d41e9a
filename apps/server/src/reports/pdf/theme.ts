/**
 * Colors and dimensions of the printed report, matching the portal's design tokens. Lengths are in
 * points.
 */
import type { SeverityCategory } from '@glacis/contract/threat'

/** Text, lines, and neutral backgrounds. */
export const ink = {
  text: '#121a1e',
  soft: '#4e595e',
  faint: '#636d72',
  line: '#d8dde0',
  inset: '#f3f5f7',
  white: '#ffffff',
}
/** The brand color: logo, links, and the solution box. */
export const accent = { solid: '#005d6b', tint: '#e7f7fb', edge: '#badfe7' }
/** For improvements. */
export const positive = '#0e5f36'

/** Label and colors of a severity; the tint is for potential issues. */
export interface SeverityStyle {
  readonly label: string
  readonly mark: string
  readonly tint: string
  readonly ink: string
}
/** From worst to best; unrated is last. */
export const severities: Readonly<Record<SeverityCategory, SeverityStyle>> = {
  CATEGORY_CRITICAL: { label: 'Critical', mark: '#ba0135', tint: '#fccbcb', ink: '#9f0a2e' },
  CATEGORY_HIGH: { label: 'High', mark: '#c74f00', tint: '#ffccb7', ink: '#963d0b' },
  CATEGORY_MEDIUM: { label: 'Medium', mark: '#bc8600', tint: '#f7cf8d', ink: '#715005' },
  CATEGORY_LOW: { label: 'Low', mark: '#407bd0', tint: '#c5dbfb', ink: '#1752a4' },
  CATEGORY_NONE: { label: 'None', mark: '#7e888d', tint: '#d4dadd', ink: '#454f54' },
  CATEGORY_UNSPECIFIED: { label: 'Not rated', mark: '#7e888d', tint: '#d4dadd', ink: '#454f54' },
}

/** The standard PDF fonts. */
export const fonts = { text: 'Helvetica', bold: 'Helvetica-Bold', mono: 'Courier' } as const

/** A4 with space for headers and footers. */
export const page = { width: 595.28, height: 841.89, left: 52, right: 52, top: 74, bottom: 66 } as const
/** Between the margins. */
export const contentWidth = page.width - page.left - page.right
