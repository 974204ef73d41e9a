import { expect, it } from 'vitest'
import { nativeChecks } from '../../packages/scanner/src/native/run.ts'
import { loadTemplates } from '../../packages/scanner/src/template/plan.ts'
import type { CheckInfo, Template } from '../../packages/scanner/src/template/template.ts'

const severities = ['critical', 'high', 'medium', 'low', 'info']
const nativeCategories = /^(?:misconfig|default-login|disclosure|exposure|cve\d*|kev)$/

it('is documented in docs/checks.md (update it with vitest -u)', async () => {
  await expect(await checksPage()).toMatchFileSnapshot('../../docs/checks.md')
})

async function checksPage(): Promise<string> {
  const { plan } = await loadTemplates([import.meta.dirname])
  const checks = [
    ...plan.templates.map((template) => ({ info: template.info, protocol: protocolOf(template) })),
    ...nativeChecks.map((info) => ({ info, protocol: nativeProtocolOf(info) })),
  ]
  const sections = severities.map((severity) => {
    const rows = checks
      .filter(({ info }) => info.severity === severity)
      .toSorted((one, other) => one.info.name.localeCompare(other.info.name, 'en'))
      .map(({ info, protocol }) => row(info, protocol))
    return `## ${severity[0]?.toUpperCase()}${severity.slice(1)}\n\n${[...head, ...rows].join('\n')}\n`
  })
  return `${introduction(checks.length)}\n${sections.join('\n')}`
}

const introduction = (count: number) => `# Checks

The ${count} checks that Glacis ships with, by severity. By default, checks only read; those that log in, write, or
might crash a service need [permission](scanning-safely.md#intrusive-checks). A finding of a check is a
[verified risk](concepts.md#verified-and-potential-risks) with its evidence.

This page is generated from the checks. Community templates and your own templates run in addition; see
[Packs and feeds](concepts.md#packs-and-feeds).
`
const head = ['| Check | ID | Protocol | Detects |', '|---|---|---|---|']

function row({ name, id, summary }: CheckInfo, protocol: string): string {
  return `| ${cell(name)} | \`${id}\` | ${protocol} | ${cell(summary)} |`
}

function cell(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ').replaceAll('|', '\\|')
}

function protocolOf({ protocols, counts }: Template): string {
  if (protocols.length > 0) return protocols.join(', ')
  return counts.ssl > 0 ? 'tls' : 'http'
}

/** The first tag that isn't a category names the protocol, except for checks of web servers. */
function nativeProtocolOf({ tags }: CheckInfo): string {
  if (!tags.some((tag) => ['network', 'tls', 'dns'].includes(tag))) return 'http'
  return tags.find((tag) => !nativeCategories.test(tag)) ?? ''
}
