/**
 * The entry point of the public pages. It has only their routes, so that signing in doesn't download the app. Any other
 * path reloads the page with the document of the app.
 */
import { AuthFrame } from '#routes/auth-frame.tsx'
import * as screens from '#routes/flow-pages.tsx'
import * as routes from '#routes/public.tsx'
import { createPublicRouter } from '#routes/public-router.ts'
import { startPortal } from '#start.tsx'

// The app loads these lazily. Here, that would take another round trip.
routes.publicRoute.update({ component: AuthFrame })
routes.login.update({ component: screens.LoginPage })
routes.registration.update({ component: screens.RegistrationPage })
routes.recovery.update({ component: screens.RecoveryPage })
routes.verification.update({ component: screens.VerificationPage })
routes.flowError.update({ component: screens.FlowErrorPage })

await startPortal(createPublicRouter)
