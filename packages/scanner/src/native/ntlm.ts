/** System information in NTLM's challenge message, sent before authentication (MS-NLMP 2.2.1.2). */

export interface NtlmChallenge {
  /** Operating system version and build, such as `10.0.20348`; other servers emulate one. */
  readonly build: string
}

const challengeSignature = Buffer.from('NTLMSSP\0\u0002\0\0\0', 'latin1')
const versionOffset = 48

/**
 * Finds an NTLM challenge in a response of any protocol; undefined when it is missing or has no
 * version.
 */
export function readChallenge(response: Buffer): NtlmChallenge | undefined {
  const at = response.indexOf(challengeSignature)
  const message = at === -1 ? Buffer.alloc(0) : response.subarray(at)
  if (message.length < versionOffset + 8) return undefined
  // The NTLMSSP_NEGOTIATE_VERSION flag marks the field as valid.
  if ((message.readUInt32LE(20) & 0x02000000) === 0) return undefined
  const [major = 0, minor = 0] = message.subarray(versionOffset)
  return { build: `${major}.${minor}.${message.readUInt16LE(versionOffset + 2)}` }
}
