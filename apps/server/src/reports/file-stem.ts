/** `glacis-web-front-2026-09-19`: letters, digits, and hyphens only. */
export function fileStem(targetName: string, time: string): string {
  const name = targetName
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 60)
  return ['glacis', name || 'report', time.slice(0, 10)].join('-')
}
