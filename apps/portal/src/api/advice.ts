/** Error messages for failed API calls, with advice on what to do next. */
import { ApiFailure } from '#api/failure.ts'

/**
 * What failed and what to do about it, in whole sentences.
 *
 * @returns undefined if nothing failed or if form fields show the errors themselves
 */
export function errorAdvice(error: Error | null): string | undefined {
  if (!error) return undefined
  if (!(error instanceof ApiFailure)) return 'Something went wrong. Reload the page and try again.'
  if (error.fieldErrors.size > 0) return undefined
  return [sentence(error.serverMessage), adviceFor(error)].filter(Boolean).join(' ')
}

/**
 * The server's error about a field, to show next to it.
 *
 * @param name without the path to it: `email` also finds the error of `invitation.email`
 */
export function fieldProblem(error: Error | null, name: string): string | undefined {
  if (!(error instanceof ApiFailure)) return undefined
  return [...error.fieldErrors].find(([path]) => path.split('.').at(-1) === name)?.[1]
}

interface Mutation {
  readonly isPending: boolean
  readonly error: Error | null
  reset(): void
}

/** Dialog props for a mutation: busy while it is pending, its error, and a reset on close. */
export function mutationDialogProps(change: Mutation, onClose: () => void) {
  return {
    busy: change.isPending,
    problem: errorAdvice(change.error),
    onClose: () => {
      change.reset()
      onClose()
    },
  }
}

function adviceFor(failure: ApiFailure): string {
  const { status, serverMessage } = failure
  // Without a readable response, the message is our own and already contains the advice.
  if (status < 300) return ''
  // The messages of errors with a reason already contain the fix.
  if (failure.reason !== undefined && serverMessage) return ''
  if (status === 403) return "You don't have permission to do this. Contact your administrator."
  if (status === 404) return 'This item no longer exists. It may have been deleted; reload the page.'
  if (status === 409) return 'The data has changed in the meantime. Review the page, then try again.'
  if (status === 413) return 'The request is too large. Shorten it and try again.'
  // An exhausted plan quota can't be retried, and the server's message explains it.
  if (status === 429)
    return serverMessage && !failure.retryAfterSeconds ? '' : `Too many requests. Try again ${retryWait(failure)}.`
  if (status >= 500)
    return `${serverMessage ? '' : "The server couldn't complete the request. "}Try again ${retryWait(failure)}.`
  return serverMessage ? '' : 'The server rejected the request. Reload the page and try again.'
}

function retryWait({ retryAfterSeconds: seconds }: ApiFailure): string {
  if (!seconds) return 'in a moment'
  return seconds === 1 ? 'in a second' : `in ${seconds} seconds`
}

/** Ending with a period, and capitalized unless it starts with an email address or a name such as retire.js. */
export function sentence(message: string): string {
  const text = message.trim()
  const start = /^\S+[.@]\w/.test(text) ? text.slice(0, 1) : text.slice(0, 1).toUpperCase()
  return text && start + text.slice(1) + (/[.!?…]$/.test(text) ? '' : '.')
}
