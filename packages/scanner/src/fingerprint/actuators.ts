/** Finds the Actuator of a Spring Boot application at a base path of its own. */
import type { HttpClient } from '#net/http.ts'
import type { Origin } from '#net/http-message.ts'
import { forEachOf } from '#pool.ts'

/** Checks ask for `/actuator`, `/manage`, `/management`, and the root themselves. */
const basePaths = (
  'admin admin/actuator api/actuator app/actuator application internal internal/actuator metrics mgmt monitor monitoring ' +
  'ops private status system'
).split(' ')
const atOnce = 4

/** @returns the folders whose index lists Actuator endpoints */
export async function findActuators(
  origin: Origin,
  { shared, signal }: { readonly shared: Pick<HttpClient, 'request'>; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const found: string[] = []
  await forEachOf(basePaths, atOnce, async (name) => {
    const response = await shared.request(origin, { method: 'GET', path: `/${name}` }, { signal })
    if (response.kind !== 'response' || response.status !== 200) return
    const type = response.headers.find(([header]) => header.toLowerCase() === 'content-type')?.[1] ?? ''
    const isIndex = /\bspring-boot\.actuator\b/.test(type) && response.body.includes('"_links"')
    if (isIndex) found.push(`/${name}/`)
  })
  return found.toSorted()
}
