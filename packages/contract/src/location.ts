/** Where a weakness is on its host, as the locations of occurrences say: `80/admin/`, `443 shop.example/ grade-f`, `53/udp`. */
export interface Place {
  /** With the transport if the location has it, such as `53/udp`. */
  readonly port: string
  /** The name of a virtual host; empty for the host itself. */
  readonly host: string
  readonly path: string
  /** A product, or the name of what matched, such as `grade-f`. */
  readonly detail: string
}

/** Undefined for locations without a port, such as `package openssl`. */
export function readLocation(location: string): Place | undefined {
  const [, port, host = '', path = '', detail = ''] =
    /^(\d{1,5}(?:\/(?:tcp|udp)(?=$| ))?)(?: ([^\s/]{1,253})(?=\/))?(\/\S*)?(?: ([^]*))?$/.exec(location) ?? []
  return port === undefined ? undefined : { port, host, path, detail }
}

/** `/admin/`, `shop.example/ (grade-f)`, or the name of a product; empty if the location is only a port. */
export function placeOnPort({ host, path, detail }: Place): string {
  if (path === '') return detail
  return `${host}${path}${detail === '' ? '' : ` (${detail})`}`
}
