/** Error types of RFC 7644 §3.12. */
export type ScimType =
  | 'invalidFilter'
  | 'tooMany'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue'
  | 'invalidVers'

/** An error in SCIM format. `detail` is an English message for the admin of the directory. */
export class ScimError extends Error {
  readonly status: number
  readonly scimType: ScimType | undefined
  readonly headers: Record<string, string>

  constructor(
    status: number,
    detail: string,
    { scimType, headers = {} }: { scimType?: ScimType; headers?: Record<string, string> } = {},
  ) {
    super(detail)
    this.status = status
    this.scimType = scimType
    this.headers = headers
  }
}

export const refused = (scimType: ScimType, detail: string) => new ScimError(400, detail, { scimType })
