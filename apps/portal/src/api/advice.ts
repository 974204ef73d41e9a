/** What somebody can do about a call that failed, said where they pressed the button. */
import { ApiFailure } from '#api/failure.ts'

/**
 * What became of it and what to do, in whole sentences; undefined where nothing failed or where the fields themselves
 * say what is wrong.
 */
export function adviceOf(error: Error | null): string | undefined {
  if (!error) return undefined
  if (!(error instanceof ApiFailure)) return 'This did not work. Reload the page and try again.'
  if (error.fieldErrors.size > 0) return undefined
  return [sentence(error.said), whatToDo(error)].filter(Boolean).join(' ')
}

interface Change {
  readonly isPending: boolean
  readonly error: Error | null
  reset(): void
}

/** What a dialog that asks for a change says of it: it waits while that is made, and whoever leaves it leaves the failure too. */
export function asking(change: Change, onClose: () => void) {
  return {
    busy: change.isPending,
    problem: adviceOf(change.error),
    onClose: () => {
      change.reset()
      onClose()
    },
  }
}

function whatToDo(failure: ApiFailure): string {
  const { status, said } = failure
  // No answer, or one that could not be read: what is said of that is ours, and says what to do.
  if (status < 300) return ''
  if (status === 403) return 'You may not do this. Ask whoever runs this installation.'
  if (status === 404) return 'It is no longer there: somebody may have deleted it. Reload the page.'
  if (status === 409) return 'Something has changed meanwhile. Look at the page again, then try again.'
  if (status === 413) return 'It is more than the server takes. Shorten it and try again.'
  // A plan that is used up is not waited for, and the server has said so.
  if (status === 429) return said && !failure.retryAfterSeconds ? '' : `Too many requests. Try again ${soon(failure)}.`
  if (status >= 500) return `${said ? '' : 'The server could not do it. '}Try again ${soon(failure)}.`
  return said ? '' : 'The server refused it. Reload the page and try again.'
}

function soon({ retryAfterSeconds: seconds }: ApiFailure): string {
  if (!seconds) return 'in a moment'
  return seconds === 1 ? 'in a second' : `in ${seconds} seconds`
}

/** Begins with a capital and ends with a stop. */
function sentence(said: string): string {
  const text = said.trim()
  return text && text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?…]$/.test(text) ? '' : '.')
}
