/** Where the requests of a test go: a service under a path, on a port of its own. */
export const place = {
  scheme: 'https',
  hostname: 'shop.example.co',
  address: '127.42.0.1',
  port: 8443,
  basePath: '/app/index.html',
} as const
