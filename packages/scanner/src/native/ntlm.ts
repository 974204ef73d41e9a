/** What a server tells in NTLM's second message, before it knows who asks (MS-NLMP 2.2.1.2). */

export interface NtlmChallenge {
  /** Version and build of the system, such as `10.0.20348`; of a server that is no Windows, what it pretends. */
  readonly build: string
}

const challengeMark = Buffer.from('NTLMSSP\0\u0002\0\0\0', 'latin1')
const versionAt = 48

/** Finds the challenge in an answer of any protocol; undefined when there is none, or none that tells a version. */
export function readChallenge(answer: Buffer): NtlmChallenge | undefined {
  const at = answer.indexOf(challengeMark)
  const message = at === -1 ? Buffer.alloc(0) : answer.subarray(at)
  if (message.length < versionAt + 8) return undefined
  // Flag NTLMSSP_NEGOTIATE_VERSION says that the field is filled in.
  if ((message.readUInt32LE(20) & 0x02000000) === 0) return undefined
  const [major = 0, minor = 0] = message.subarray(versionAt)
  return { build: `${major}.${minor}.${message.readUInt16LE(versionAt + 2)}` }
}
