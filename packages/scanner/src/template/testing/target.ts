/** Target of a test's requests: a service with a path and its own port. */
export const place = {
  scheme: 'https',
  hostname: 'shop.example.co',
  address: '127.42.0.1',
  port: 8443,
  basePath: '/app/index.html',
} as const
