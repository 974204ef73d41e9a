/** File servers that list files and accept uploads through a form. */
import { hasPasswordField } from '#html.ts'
import { linksOf } from '#native/web/html-forms.ts'
import { listedNames } from '#native/web/listing.ts'
import { checkInfo, type NativeCheck } from '#native/native-check.ts'
import { folderOf, pathHere, requestWeb, webProof } from '#native/web/request.ts'

export const openUploadForm = checkInfo({
  id: 'file-upload-form-open',
  name: 'File server exposed without authentication (uploads)',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:L/A:L',
  score: 7.3,
  summary:
    'The web server offers an upload form, and lists a directory or is designed for file sharing, without authentication. The check did not upload a file.',
  impact:
    'An attacker can fill the disk, host malware on your server, and read the shared files. If overwriting is permitted, the attacker can also replace them.',
  remediation:
    'Require authentication, for example with `--basic-auth user:password` in uploadserver or `--password` in updog.',
  reference: 'https://cwe.mitre.org/data/definitions/434.html',
  tags: 'misconfig files upload unauth',
  verifiedOn: 'miniserve simple-http-server updog uploadserver',
})
const pages = ['', 'upload']
const linkedMax = 2

export const webUploadForm: NativeCheck = {
  checks: [openUploadForm],
  isPerFolder: true,
  appliesTo: ({ protocol }) => protocol === 'http',
  async run(context) {
    const base = folderOf(context.basePath)
    const listing = await requestWeb(context, { target: base })
    if (!listing) return {}
    const isFileServer = listedNames(listing.body, base) !== undefined || isForSharing(listing.body)
    if (listing.status !== 200 || !isFileServer) return { [openUploadForm.id]: null }
    const linked = linksOf(listing.body)
      .flatMap((link) => pathHere(link, base) ?? [])
      .filter((path) => /\/(?:add|new|send|upload)(?:[_-]?files?)?\/?$/i.test(path))
    const paths = new Set([...pages.map((name) => `${base}${name}`), ...linked.slice(0, linkedMax)])
    for (const target of paths) {
      const page = target === base ? listing : await requestWeb(context, { target })
      const form = page?.status === 200 ? uploadForm(page.body) : undefined
      if (page && form !== undefined) return { [openUploadForm.id]: { ...webProof(page, [form]), path: target } }
    }
    return { [openUploadForm.id]: null }
  },
}

/** Whether a page is titled as a server for uploads. A form on a site about something else has another purpose. */
export function isForSharing(html: string): boolean {
  const titles = html.matchAll(/<(?:title|h1)\b[^>]{0,200}>([^<]{0,200})/gi).take(5)
  return [...titles].some(([, text = '']) =>
    /^\s{0,20}(?:[\w-]{1,30} )?(?:files? (?:upload(?:er)?s?|server|sharing|drop|manager)|upload(?:er)?(?: (?:a |your )?files?)?|(?:send|share|drop|receive)(?: (?:a|some|your))? files?(?: here| with [a-z ]{2,30})?|(?:http|simple)[- ]upload(?:er)?(?: server)?)\s{0,20}$/i.test(
      text,
    ),
  )
}

/** The file field of a form that is sent with POST and has no password field. */
export function uploadForm(html: string): string | undefined {
  if (hasPasswordField(html)) return undefined
  const [form] = /<form\b[^>]{0,500}\bmultipart\/form-data[^>]{0,500}>/i.exec(html) ?? []
  if (form === undefined || !/\bmethod\s{0,9}=\s{0,9}["']?post/i.test(form)) return undefined
  return /<input\b[^>]{0,300}\btype\s{0,9}=\s{0,9}["']?file\b[^>]{0,300}>/i.exec(html)?.[0]
}
