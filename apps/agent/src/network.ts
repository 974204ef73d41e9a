/** How the agent reaches its server: proxies from the environment, and a private certificate authority. */
import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { setGlobalProxyFromEnv } from 'node:http'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { CliError, systemReason } from './cli-error.ts'

/**
 * Applies `HTTPS_PROXY`, `HTTP_PROXY`, and `NO_PROXY` to this process, and trusts the CA certificates of a file in
 * addition to the default ones. Scans run in other processes, and connect directly.
 *
 * @throws CliError that names the invalid variable or file
 */
export async function configureNetwork(
  caFile: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  for (const name of ['HTTPS_PROXY', 'HTTP_PROXY', 'https_proxy', 'http_proxy']) {
    const value = env[name]
    if (value && !(URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)))
      throw new CliError(`${name} is not a valid proxy URL, such as http://user:password@proxy.example.org:3128.`)
  }
  setGlobalProxyFromEnv(env)
  if (caFile !== undefined)
    setDefaultCACertificates([...getCACertificates('default'), ...(await readCertificates(caFile))])
}

async function readCertificates(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new CliError(`Can't read the CA certificates from ${file} (${systemReason(cause)}).`, { cause })
  })
  const certificates = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  if (certificates.length === 0) throw new CliError(`${file} contains no certificate in PEM format.`)
  for (const certificate of certificates) {
    try {
      void new X509Certificate(certificate)
    } catch (cause) {
      throw new CliError(`${file} contains a damaged certificate.`, { cause })
    }
  }
  return certificates
}
