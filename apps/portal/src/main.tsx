/** The entry point of the app, with all routes. */
import { createPortalRouter } from '#routes/router.tsx'
import { startPortal } from '#start.tsx'

await startPortal(createPortalRouter)
