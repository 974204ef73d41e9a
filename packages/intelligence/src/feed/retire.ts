/** JavaScript libraries and the versions of them that are known to be weak, as retire.js lists them. */
import { z } from 'zod'
import type { Item } from '#feed/item.ts'
import { sound } from '#feed/sound.ts'
import { wordsOf } from '#feed/wording.ts'
import type { CpeMatch, ThreatRecord } from '#threat.ts'
import type { Severity } from '@glacis/contract/threat'
import { bindFormattedString, nameOf, quote } from '#wfn.ts'

const Weakness = z.object({
  below: z.string().optional(),
  atOrAbove: z.string().optional(),
  severity: z.string().catch(''),
  cwe: sound(z.string()),
  identifiers: z.object({
    summary: z.string().catch(''),
    CVE: sound(z.string().regex(/^CVE-\d{4}-\d{4,}$/)),
    githubID: z.string().optional(),
  }),
  info: sound(z.string()),
})
const Library = z.object({ vulnerabilities: sound(Weakness) })

/** Libraries that the world's lists know under other names than npm does; in lower case, as each list writes them its own way. */
const names: Readonly<Record<string, string>> = {
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
  vue: 'vuejs:vue.js',
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

/** Reads the whole repository: one threat per CVE or advisory, whatever libraries it is about. */
export function* readRetire(document: unknown): Generator<Item> {
  const libraries = z.record(z.string(), z.unknown()).parse(document)
  const byId = new Map<string, { weakness: z.infer<typeof Weakness>; matches: CpeMatch[] }>()
  for (const [library, value] of Object.entries(libraries)) {
    const { data } = Library.safeParse(value)
    if (!data) {
      yield { kind: 'skipped', id: library, problem: 'The entry has no list of vulnerabilities.' }
      continue
    }
    const criteria = criteriaOf(library)
    for (const weakness of criteria ? data.vulnerabilities : []) {
      const match = matchOf(criteria ?? '', weakness)
      for (const id of idsOf(weakness)) {
        const known = byId.get(id) ?? { weakness, matches: [] }
        byId.set(id, { weakness: known.weakness, matches: [...known.matches, match] })
      }
    }
  }
  for (const [id, { weakness, matches }] of byId)
    yield { kind: 'threat', source: 'retire', threat: toThreat(id, weakness, matches) }
}

function criteriaOf(library: string): string | null {
  const key = names[library.toLowerCase()] ?? `${library.toLowerCase()}:${library.toLowerCase()}`
  const [vendor = '', product = ''] = key.split(':')
  const name = nameOf({ part: 'a', vendor: quote(vendor), product: quote(product) })
  return name && bindFormattedString(name)
}

function idsOf({ identifiers }: z.infer<typeof Weakness>): readonly string[] {
  if (identifiers.CVE.length > 0) return identifiers.CVE
  return identifiers.githubID ? [identifiers.githubID] : []
}

function matchOf(criteria: string, { below, atOrAbove }: z.infer<typeof Weakness>): CpeMatch {
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
  { identifiers, severity, cwe, info }: z.infer<typeof Weakness>,
  matches: CpeMatch[],
): ThreatRecord {
  const configurations = [
    { operator: 'OR' as const, negate: false, nodes: [{ operator: 'OR' as const, negate: false, cpeMatch: matches }] },
  ]
  const { affected, fix } = wordsOf(configurations)
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
    weaknesses: cwe.filter((one) => /^CWE-\d+$/.test(one)),
    configurations,
    isRejected: false,
    publishTime: '',
    modifyTime: '',
  }
}
