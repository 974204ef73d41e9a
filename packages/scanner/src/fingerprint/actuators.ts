/** Finds the Actuator of a Spring Boot application: at a base path of its own, or below the application's folder. */
import type { FingerprintText } from '#fingerprint/fingerprint-text.ts'
import { bodyText } from '#fingerprint/web-traces.ts'
import type { HttpClient } from '#net/http.ts'
import type { Origin } from '#net/http-message.ts'
import { forEachOf } from '#pool.ts'

/** Checks ask for `/actuator`, `/manage`, `/management`, and the root themselves. */
const basePaths = (
  'admin admin/actuator api/actuator app/actuator application internal internal/actuator metrics mgmt monitor monitoring ' +
  'ops private status system'
).split(' ')
const atOnce = 4

/** The front page of an application doesn't have to reveal its framework; the index of its Actuator does. */
const mayBeSpring = /:(?:jboss\w*|jetty|payara\w*|spring_\w+|tomcat|undertow|wildfly)$/

export interface Actuators {
  /** Folders whose index lists Actuator endpoints. */
  readonly folders: readonly string[]
  readonly traces: readonly FingerprintText[]
}

/** @param products identified on the server, as `vendor:product` */
export async function findActuators(
  origin: Origin,
  { shared, signal }: { readonly shared: Pick<HttpClient, 'request'>; readonly signal: AbortSignal },
  products: readonly string[],
  /** Folders of applications. */
  applications: readonly string[] = [],
): Promise<Actuators> {
  const isSpring = products.some((product) => product.includes(':spring_'))
  const atFolders = products.some((product) => mayBeSpring.test(product))
    ? applications.map((folder) => `${folder}actuator`)
    : []
  const paths = [...(isSpring ? basePaths.map((name) => `/${name}`) : []), ...atFolders]
  const found: string[] = []
  const traces: FingerprintText[] = []
  await forEachOf([...new Set(paths)], atOnce, async (path) => {
    const response = await shared.request(origin, { method: 'GET', path }, { signal })
    if (response.kind !== 'response' || response.status !== 200) return
    const type = response.headers.find(([header]) => header.toLowerCase() === 'content-type')?.[1] ?? ''
    const isIndex = /\bspring-boot\.actuator\b/.test(type) && response.body.includes('"_links"')
    if (!isIndex) return
    found.push(`${path}/`)
    traces.push({ field: 'http.body', text: bodyText(response) })
  })
  return { folders: found.toSorted(), traces }
}
