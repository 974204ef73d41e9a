/** Reads vulnerable versions of JavaScript libraries in the format of retire.js. */
import { z } from 'zod'
import type { Item } from '#feed/item.ts'
import { lenientArray } from '#feed/lenient-array.ts'
import { describeConfigurations } from '#feed/describe.ts'
import type { CpeMatch, ThreatRecord } from '#threat.ts'
import type { Severity } from '@glacis/contract/threat'
import { bindFormattedString, nameOf, quote } from '#wfn.ts'

const Vulnerability = z.object({
  below: z.string().optional(),
  atOrAbove: z.string().optional(),
  severity: z.string().catch(''),
  cwe: lenientArray(z.string()),
  identifiers: z.object({
    summary: z.string().catch(''),
    CVE: lenientArray(z.string().regex(/^CVE-\d{4}-\d{4,}$/)),
    githubID: z.string().optional(),
  }),
  info: lenientArray(z.string()),
})
const Library = z.object({ vulnerabilities: lenientArray(Vulnerability) })

/**
 * CPE `vendor:product` by library name, for libraries whose names differ. Keys are lower case, because
 * spellings vary.
 */
const productByLibrary: Readonly<Record<string, string>> = {
  jquery: 'jquery:jquery',
  'jquery-ui': 'jqueryui:jquery_ui',
  'jquery-migrate': 'jquery:jquery_migrate',
  'jquery-validation': 'jqueryvalidation:jquery_validation',
  'jquery.datatables': 'datatables:datatables.net',
  bootstrap: 'getbootstrap:bootstrap',
  angularjs: 'angularjs:angular.js',
  react: 'facebook:react',
  'moment.js': 'momentjs:moment',
  handlebars: 'handlebarsjs:handlebars',
  'ua-parser-js': 'ua-parser-js_project:ua-parser-js',
  'underscore.js': 'underscorejs:underscore',
  dompurify: 'cure53:dompurify',
  tinymce: 'tiny:tinymce',
  ckeditor: 'ckeditor:ckeditor',
  ckeditor5: 'ckeditor:ckeditor5',
  knockout: 'knockoutjs:knockout',
  ember: 'emberjs:ember.js',
  vue: 'vuejs:vue',
  nextjs: 'vercel:next.js',
  'pdf.js': 'mozilla:pdf.js',
  'chart.js': 'chartjs:chart.js',
  prototypejs: 'prototypejs:prototype',
  dojo: 'openjsf:dojo',
  yui: 'yahoo:yui',
  'swagger-ui': 'smartbear:swagger_ui',
  svelte: 'svelte:svelte',
  highcharts: 'highcharts:highcharts',
  froala: 'froala:froala_editor',
  'markdown-it': 'markdown-it_project:markdown-it',
  'backbone.js': 'backbone_project:backbone',
  jplayer: 'happyworm:jplayer',
  plupload: 'tiny:plupload',
  extjs: 'sencha:ext_js',
  'bootstrap-select': 'snapappointments:bootstrap-select',
  highlightjs: 'highlightjs:highlight.js',
  marked: 'marked_project:marked',
  echarts: 'apache:echarts',
  'video.js': 'videojs:video.js',
  quill: 'slab:quill',
  swiper: 'swiperjs:swiper',
  threejs: 'three_project:three',
  protobufjs: 'protobufjs_project:protobufjs',
  jszip: 'jszip_project:jszip',
  sessvars: 'thomasfrank:sessvars',
  'mustache.js': 'mustache.js_project:mustache.js',
}

/** Reads the repository: one threat per CVE or advisory, which can cover several libraries. */
export function* readRetire(document: unknown): Generator<Item> {
  const libraries = z.record(z.string(), z.unknown()).parse(document)
  const byId = new Map<string, { vulnerability: z.infer<typeof Vulnerability>; matches: CpeMatch[] }>()
  for (const [library, value] of Object.entries(libraries)) {
    const { data } = Library.safeParse(value)
    if (!data) {
      yield { kind: 'skipped', id: library, problem: 'The entry has no vulnerabilities.' }
      continue
    }
    const criteria = criteriaOf(library)
    for (const vulnerability of criteria ? data.vulnerabilities : []) {
      const match = matchOf(criteria ?? '', vulnerability)
      for (const id of idsOf(vulnerability)) {
        const entry = byId.get(id) ?? { vulnerability, matches: [] }
        byId.set(id, { vulnerability: entry.vulnerability, matches: [...entry.matches, match] })
      }
    }
  }
  for (const [id, { vulnerability, matches }] of byId)
    yield { kind: 'threat', source: 'retire', threat: toThreat(id, vulnerability, matches) }
}

function criteriaOf(library: string): string | null {
  const key = productByLibrary[library.toLowerCase()] ?? `${library.toLowerCase()}:${library.toLowerCase()}`
  const [vendor = '', product = ''] = key.split(':')
  const name = nameOf({ part: 'a', vendor: quote(vendor), product: quote(product) })
  return name && bindFormattedString(name)
}

function idsOf({ identifiers }: z.infer<typeof Vulnerability>): readonly string[] {
  if (identifiers.CVE.length > 0) return identifiers.CVE
  return identifiers.githubID ? [identifiers.githubID] : []
}

function matchOf(criteria: string, { below, atOrAbove }: z.infer<typeof Vulnerability>): CpeMatch {
  return {
    vulnerable: true,
    criteria,
    ...(atOrAbove !== undefined && { versionStartIncluding: atOrAbove }),
    ...(below !== undefined && { versionEndExcluding: below }),
  }
}

const severities: Readonly<Record<string, Severity>> = {
  critical: { cvss: '', score: 9.5, category: 'CATEGORY_CRITICAL' },
  high: { cvss: '', score: 7.5, category: 'CATEGORY_HIGH' },
  medium: { cvss: '', score: 5.5, category: 'CATEGORY_MEDIUM' },
  low: { cvss: '', score: 2.5, category: 'CATEGORY_LOW' },
}

function toThreat(
  id: string,
  { identifiers, severity, cwe, info }: z.infer<typeof Vulnerability>,
  matches: CpeMatch[],
): ThreatRecord {
  const configurations = [
    { operator: 'OR' as const, negate: false, nodes: [{ operator: 'OR' as const, negate: false, cpeMatch: matches }] },
  ]
  const { affected, fix } = describeConfigurations(configurations)
  return {
    id,
    name: identifiers.summary || id,
    summary: identifiers.summary,
    impact: '',
    affected,
    insight: '',
    severity: severities[severity] ?? { cvss: '', score: 0, category: 'CATEGORY_UNSPECIFIED' },
    metrics: [],
    ...(fix !== '' && { solution: { kind: 'KIND_VENDOR_FIX' as const, description: fix } }),
    references: [
      ...(id.startsWith('CVE-') ? [{ cve: id }] : []),
      ...info.filter((url) => /^https?:\/\//.test(url)).map((url) => ({ url })),
    ],
    weaknesses: cwe.filter((id) => /^CWE-\d+$/.test(id)),
    configurations,
    isRejected: false,
    publishTime: '',
    modifyTime: '',
  }
}
