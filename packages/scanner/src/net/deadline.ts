/**
 * Waits for a promise no longer than a deadline. What is waited for goes on by itself: use it only
 * for what cannot be stopped, or stop it afterwards.
 *
 * @returns undefined when the time was over first
 * @throws the promise's own error, or the signal's reason
 */
export async function within<Value>(
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
