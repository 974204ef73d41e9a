/**
 * Names several versions by the parts they all start with: "1.18.0" and "1.18.2" are "1.18.x". Without a common start,
 * two versions are listed and more are counted.
 */
export function versionsLabel(versions: readonly string[]): string {
  const distinct = [...new Set(versions)].filter((version) => version !== '')
  const [first = '', second = ''] = distinct
  if (distinct.length < 2) return first
  const split = distinct.map((version) => version.split('.'))
  const start = first.split('.').filter((_, index, parts) => {
    const prefix = parts.slice(0, index + 1).join('.')
    return split.every((other) => other.length > index + 1 && other.slice(0, index + 1).join('.') === prefix)
  })
  if (start.length > 0) return `${start.join('.')}.x`
  return distinct.length === 2 ? `${first}, ${second}` : `${distinct.length} versions`
}
