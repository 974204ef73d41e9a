/** The nginx in front of programs without authentication of their own. */

export const proxyFile = 'proxy.conf'

/** Rejects every request: no password is valid. */
export function proxyConfiguration(address: string, inner: string, ports: readonly number[]): string {
  const servers = ports.map(
    (port) =>
      `server { listen ${address}:${port}; location / { auth_basic lab; auth_basic_user_file /dev/null; proxy_pass http://${inner}:${port}; } }`,
  )
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path temporary;`)
  return [
    'daemon off; pid proxy.pid; error_log proxy-errors; events {}',
    `http { access_log off; server_tokens off; ${temporary.join(' ')} ${servers.join(' ')} }`,
    '',
  ].join('\n')
}
