/** A share as a style sheet reads it: `0.25` → `25%`. */
export function percent(share: number): string {
  return `${Math.round(share * 10_000) / 100}%`
}
