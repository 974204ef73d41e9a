/** Resolves the design tokens, because a canvas can't use CSS variables. */
import type { Kind } from '#graph/model.ts'

export interface Palette extends Readonly<Record<Kind, string>> {
  readonly canvas: string
  readonly link: string
  readonly strongLink: string
  readonly text: string
  readonly font: string
}

export function readPalette(element: Element): Palette {
  const style = getComputedStyle(element)
  const token = (name: string) => style.getPropertyValue(`--gl-${name}`).trim()
  return {
    product: token('kind-product'),
    host: token('kind-host'),
    threat: token('kind-threat'),
    other: token('kind-other'),
    canvas: token('canvas'),
    link: token('n7'),
    strongLink: token('text-2'),
    text: token('text'),
    font: token('font-sans'),
  }
}
