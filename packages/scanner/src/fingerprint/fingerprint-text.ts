/** Text to match against the fingerprints of a field. */
export interface FingerprintText {
  readonly field: string
  readonly text: string
}
