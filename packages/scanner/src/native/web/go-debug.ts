/** Debugging endpoints of Go's standard library, at their usual paths and where a site links to them. */
import { namedPaths } from '#native/web/named-paths.ts'
import { checkInfo, type CheckResults, type NativeCheck, type Proof } from '#native/native-check.ts'
import type { CheckInfo } from '#native/types.ts'
import { requestWeb, webProof, type WebResponse } from '#native/web/request.ts'
import { readSite } from '#native/web/site.ts'

const pprof = checkInfo({
  id: 'go-pprof-exposed',
  name: 'Go profiling endpoint exposed (pprof)',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:N/A:N',
  score: 5.3,
  summary: 'The profiling endpoints of a Go application (net/http/pprof, under /debug/pprof/) are publicly accessible.',
  impact:
    'An attacker can read stack traces, heap profiles, and command-line arguments, and slow the application down with long-running profiles.',
  remediation: 'Serve pprof on a separate, internal listener such as `127.0.0.1:6060` instead of the public mux.',
  reference: 'https://pkg.go.dev/net/http/pprof',
  tags: 'exposure golang debug',
  verifiedOn:
    'alertmanager alertmanager-cookie anacrolix-dms cayley centrifugo chasquid docker-registry-debug garagemq go-debug-paths go-net-http influxdb mtail mtail-frame mtail-link mtail-script-redirect node-exporter nsq prometheus pushgateway pushgateway-http2 sftpgo victorialogs xray',
})
const expvar = checkInfo({
  id: 'go-expvar-exposed',
  name: 'Go debug variables exposed (expvar)',
  severity: 'low',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:L/I:N/A:N',
  score: 3.7,
  summary: 'The expvar endpoint of a Go application (/debug/vars) is publicly accessible.',
  impact:
    'An attacker can read the command line of the process, which can contain paths and passwords, its memory statistics, and internal counters.',
  remediation:
    'Serve `expvar.Handler()` on a separate, internal listener such as `127.0.0.1:6060` instead of the public mux, or block /debug/ at the reverse proxy.',
  reference: 'https://pkg.go.dev/expvar',
  tags: 'exposure golang debug',
  verifiedOn:
    'cayley docker-registry-debug garagemq glauth go-debug-paths go-net-http inbucket mtail mtail-frame mtail-link mtail-script-redirect sftpgo xray',
})
const namedMax = 4

interface Endpoint {
  readonly check: CheckInfo
  readonly usual: readonly string[]
  /** Links worth following. */
  readonly links: RegExp
  /** All of them are on the page. */
  readonly words: readonly string[]
}
const endpoints: readonly Endpoint[] = [
  {
    check: pprof,
    usual: ['debug/pprof/', 'pprof/'],
    links: /\/pprof\/?$/,
    words: ['Types of profiles available:', 'full goroutine stack dump'],
  },
  {
    check: expvar,
    usual: ['debug/vars'],
    links: /\/(?:debug\/|_)?(?:exp)?vars\/?$/,
    words: ['"cmdline":', '"memstats":', '"HeapAlloc":'],
  },
]

export const webGoDebug: NativeCheck = {
  checks: [pprof, expvar],
  isPerFolder: true,
  appliesTo: ({ protocol }) => protocol === 'http',
  async run(context) {
    const site = await readSite(context)
    if (!site) return {}
    const named = await namedPaths(context, site)
    const found: Record<string, Proof | null> = {}
    for (const { check, usual, links, words } of endpoints) {
      const linked = named.filter((path) => links.test(path)).slice(0, namedMax)
      let proof: Proof | null = null
      for (const target of new Set([...usual.map((name) => `${site.base}${name}`), ...linked])) {
        const page = await requestWeb(context, { target })
        if (page && shows(page, words)) proof ??= { ...webProof(page, words), path: target }
        if (proof) break
      }
      found[check.id] = proof
    }
    return found satisfies CheckResults
  },
}

/** InfluxDB has a check of its own. */
function shows({ status, body }: WebResponse, words: readonly string[]): boolean {
  return status === 200 && words.every((word) => body.includes(word)) && !body.includes('influxd')
}
