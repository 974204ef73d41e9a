/** The pool alone: the whole of undici, with `fetch` and WebSocket, takes a tenth of a second to load. */
declare module 'undici/lib/dispatcher/pool.js' {
  export { Pool as default } from 'undici'
}
