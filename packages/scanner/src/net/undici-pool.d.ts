/** Only the pool: loading all of undici, with `fetch` and WebSocket, takes a tenth of a second. */
declare module 'undici/lib/dispatcher/pool.js' {
  export { Pool as default } from 'undici'
}
