/**
 * Waits for a promise up to a deadline. The underlying work is not canceled: use it for work that
 * can't be canceled, or cancel it afterward.
 *
 * @returns undefined when the deadline passed first
 * @throws the promise's own error, or the signal's reason
 */
export async function withDeadline<Value>(
  promise: Promise<Value>,
  deadlineMs: number,
  signal: AbortSignal,
): Promise<Value | undefined> {
  signal.throwIfAborted()
  const over = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => over.resolve(undefined), deadlineMs)
  const stop = () => over.reject(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([promise, over.promise])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}
