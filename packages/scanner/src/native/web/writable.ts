/** APIs of Django REST framework that show their forms to unauthenticated clients. */
import { checkInfo, type NativeContext, type Proof } from '#native/native-check.ts'
import { formsIn } from '#native/web/html-forms.ts'
import { requestWeb, webProof, type WebResponse } from '#native/web/request.ts'

export const writableApi = checkInfo({
  id: 'api-writable-without-authentication',
  name: 'API accepts changes without authentication (Django REST framework)',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:L/A:L',
  score: 7.3,
  summary:
    'The browsable API of Django REST framework shows the form for creating records to unauthenticated clients, which it does only if they have permission. The check did not submit the form.',
  impact: 'An attacker can read and create records, and usually change and delete them.',
  remediation:
    'Set `DEFAULT_PERMISSION_CLASSES` to `IsAuthenticated` in the `REST_FRAMEWORK` setting, or set `permission_classes` on the view.',
  reference: 'https://www.django-rest-framework.org/api-guide/permissions/',
  tags: 'misconfig api django unauth',
  verifiedOn: 'django-admin django-rest-framework',
})
const resourcesMax = 4

/**
 * @param index the description of an API at its root
 * @param links of the index on this server
 */
export async function findWritable(
  context: NativeContext,
  index: WebResponse,
  links: readonly string[],
): Promise<Proof | undefined> {
  for (const target of isApiRoot(index) ? links.slice(0, resourcesMax) : []) {
    const page = await requestWeb(context, { target, headers: { Accept: 'text/html' } })
    const [title] = /<title>[^<]{0,300}Django REST framework<\/title>/.exec(page?.body ?? '') ?? []
    if (page?.status !== 200 || title === undefined) continue
    const form = formsIn(page.body).find(
      ({ isPost, fields }) => isPost && fields.some(({ name }) => name === '_content'),
    )
    if (form) return { ...webProof(page, [title, `action="${form.action}"`]), path: target }
  }
  return undefined
}

function isApiRoot({ headers }: WebResponse): boolean {
  const valueOf = (key: string) => headers.find(([name]) => name.toLowerCase() === key)?.[1] ?? ''
  return /^GET, HEAD, OPTIONS$/.test(valueOf('allow')) && /\bAccept\b/i.test(valueOf('vary'))
}
