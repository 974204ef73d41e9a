/** Colours and measures of the printed report, in the language of the portal's tokens. Lengths are in points. */
import type { SeverityCategory } from '@glacis/contract/threat'

/** Text, lines and quiet grounds. */
export const ink = {
  text: '#121a1e',
  soft: '#4e595e',
  faint: '#636d72',
  line: '#d8dde0',
  inset: '#f3f5f7',
  white: '#ffffff',
}
/** The product's own colour: marks, links and the box of the solution. */
export const accent = { solid: '#005d6b', tint: '#e7f7fb', edge: '#badfe7' }
/** For what got better. */
export const positive = '#0e5f36'

/** Word and colours of a severity; the tint stands for what is only potential. */
export interface SeverityLook {
  readonly label: string
  readonly mark: string
  readonly tint: string
  readonly ink: string
}
/** From the worst down; what has no rating is last. */
export const severities: Readonly<Record<SeverityCategory, SeverityLook>> = {
  CATEGORY_CRITICAL: { label: 'Critical', mark: '#ba0135', tint: '#fccbcb', ink: '#9f0a2e' },
  CATEGORY_HIGH: { label: 'High', mark: '#c74f00', tint: '#ffccb7', ink: '#963d0b' },
  CATEGORY_MEDIUM: { label: 'Medium', mark: '#bc8600', tint: '#f7cf8d', ink: '#715005' },
  CATEGORY_LOW: { label: 'Low', mark: '#407bd0', tint: '#c5dbfb', ink: '#1752a4' },
  CATEGORY_NONE: { label: 'Info', mark: '#7e888d', tint: '#d4dadd', ink: '#454f54' },
  CATEGORY_UNSPECIFIED: { label: 'Not rated', mark: '#7e888d', tint: '#d4dadd', ink: '#454f54' },
}

/** Fonts that every reader of PDF has. */
export const fonts = { text: 'Helvetica', bold: 'Helvetica-Bold', mono: 'Courier' } as const

/** A4 with room for the head and foot lines. */
export const page = { width: 595.28, height: 841.89, left: 52, right: 52, top: 74, bottom: 66 } as const
/** Between the margins. */
export const contentWidth = page.width - page.left - page.right
