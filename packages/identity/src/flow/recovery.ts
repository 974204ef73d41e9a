/** Getting back into an account whose password is lost: not offered yet. */
import { badRequest } from '#http/error.ts'
import type { Answer } from '#http/exchange.ts'

/** Says that recovery is off, whatever of it was asked for. */
export async function refuseRecovery(): Promise<Answer> {
  throw badRequest('Recovery is not allowed because it was disabled.')
}
