/** Token bucket: refills at a constant rate up to its burst size. */
export interface Bucket {
  readonly perSecond: number
  readonly burst: number
  tokens: number
  filledAt: number
}
/** Creates a full bucket. */
export function bucketOf(perSecond: number, burst: number): Bucket {
  return { perSecond, burst: Math.max(1, burst), tokens: Math.max(1, burst), filledAt: performance.now() }
}

/** Adds the tokens since the last refill; `now` is in milliseconds. */
export function refill(bucket: Bucket, now: number): void {
  if (now === bucket.filledAt && bucket.perSecond !== Infinity) return
  const gained = bucket.perSecond === Infinity ? Infinity : ((now - bucket.filledAt) / 1000) * bucket.perSecond
  bucket.tokens = Math.min(bucket.burst, bucket.tokens + gained)
  bucket.filledAt = now
}
