/** Errors in the format of SCIM (RFC 7644, section 3.12). */

/** Keywords of RFC 7644, table 9. */
export type ScimType =
  | 'invalidFilter'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue'

export class ScimError extends Error {
  readonly status: number
  readonly scimType: ScimType | undefined
  constructor(status: number, message: string, scimType?: ScimType) {
    super(message)
    this.name = 'ScimError'
    this.status = status
    this.scimType = scimType
  }
}

export function badValue(message: string): ScimError {
  return new ScimError(400, message, 'invalidValue')
}
