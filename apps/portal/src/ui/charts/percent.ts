/** Formats a share as a CSS percentage: `0.25` → `25%`. */
export function percent(share: number): string {
  return `${Math.round(share * 10_000) / 100}%`
}
