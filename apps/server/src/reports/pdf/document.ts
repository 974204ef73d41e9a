/** Drawing primitives on a PDF document with a cursor that moves down and breaks pages. */
import PDFDocument from 'pdfkit'
import { printable } from './text.ts'
import { accent, contentWidth, fonts, ink, page } from './theme.ts'

/** The document; its `y` is the cursor. */
export type Pdf = InstanceType<typeof PDFDocument>

/** Text style; sizes and distances in points. */
export interface TextStyle {
  readonly font?: (typeof fonts)[keyof typeof fonts]
  readonly size?: number
  readonly color?: string
  /** Distance from the left edge of the content. */
  readonly indent?: number
  readonly width?: number
  readonly align?: 'left' | 'right' | 'center'
  readonly lineGap?: number
  readonly link?: string
}

/** The document properties. */
export interface DocumentProperties {
  readonly title: string
  readonly author: string
  /** ISO 8601. */
  readonly time: string
  /** False only in tests that extract the text. */
  readonly isCompressed: boolean
}

/**
 * Opens an empty A4 document. Headers and footers are added last, when the number of pages is
 * known.
 */
export function openPdf({ title, author, time, isCompressed }: DocumentProperties): Pdf {
  const pdf = new PDFDocument({
    size: 'A4',
    margins: { left: page.left, right: page.right, top: page.top, bottom: page.bottom },
    bufferPages: true,
    compress: isCompressed,
    lang: 'en',
    displayTitle: true,
    info: { Title: printable(title), Author: printable(author), Creator: 'Glacis', CreationDate: new Date(time) },
  })
  pdf.y = page.top
  return pdf
}

/** Starts a new page unless this much height is left. */
export function ensureSpace(pdf: Pdf, height: number): void {
  if (pdf.y + height > page.height - page.bottom) pdf.addPage()
}

/** Moves the cursor down. */
export function moveDown(pdf: Pdf, height: number): void {
  pdf.y += height
}

/** Writes a paragraph at the cursor and moves below it. Breaks long words. */
export function write(pdf: Pdf, text: string, style: TextStyle = {}): void {
  applyStyle(pdf, style)
  const { indent = 0, width = contentWidth - indent, align = 'left', lineGap = 2, link } = style
  pdf.text(printable(text), page.left + indent, pdf.y, { width, align, lineGap, ...(link && { link }) })
}

/** Writes one line at a position without moving the cursor; text that doesn't fit is truncated. */
export function writeAt(pdf: Pdf, text: string, x: number, y: number, style: TextStyle = {}): void {
  const before = pdf.y
  applyStyle(pdf, style)
  const { width = contentWidth, align = 'left', link } = style
  const fitted = truncateToWidth(pdf, printable(text).replaceAll('\n', ' '), width)
  pdf.text(fitted, x, y, { width: width + 1, align, lineBreak: false, ...(link && { link }) })
  pdf.y = before
}

/** The height of a paragraph. */
export function heightOf(pdf: Pdf, text: string, style: TextStyle = {}): number {
  applyStyle(pdf, style)
  const { indent = 0, width = contentWidth - indent, lineGap = 2 } = style
  return pdf.heightOfString(printable(text), { width, lineGap })
}

/** Draws a horizontal line at the cursor without moving it. */
export function drawRule(pdf: Pdf, color: string = ink.line): void {
  pdf
    .moveTo(page.left, pdf.y)
    .lineTo(page.left + contentWidth, pdf.y)
    .lineWidth(0.6)
    .strokeColor(color)
    .stroke()
}

/** Writes a section heading and adds it to the outline. */
export function heading(pdf: Pdf, text: string): void {
  ensureSpace(pdf, 90)
  pdf.outline.addItem(printable(text))
  write(pdf, text, { font: fonts.bold, size: 16 })
  moveDown(pdf, 8)
}

/** Draws the logo, 24 units wide at scale 1. */
export function drawLogo(pdf: Pdf, x: number, y: number, scale: number): void {
  pdf.save().translate(x, y).scale(scale)
  pdf.path('M1.5 20.5 12.6 9.4H22.5v11.1z').fill(accent.solid)
  pdf.path('M2.6 13.4 12.5 3.5H22.5').lineWidth(2.1).strokeColor(accent.solid).stroke()
  pdf.restore()
}

function applyStyle(pdf: Pdf, { font = fonts.text, size = 9.5, color = ink.text }: TextStyle): void {
  pdf.font(font).fontSize(size).fillColor(color)
}

function truncateToWidth(pdf: Pdf, text: string, width: number): string {
  if (pdf.widthOfString(text) <= width) return text
  let length = Math.min(text.length, 400)
  while (length > 1 && pdf.widthOfString(`${text.slice(0, length)}…`) > width) length--
  return `${text.slice(0, length).trimEnd()}…`
}
