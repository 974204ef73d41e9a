/**
 * Programs of the lab that prove each native check when weak and on which it stays silent when hardened. Checks that
 * are missing here were only tried on a stand-in.
 */
export const verifiedOn: Readonly<Record<string, readonly string[]>> = {}
