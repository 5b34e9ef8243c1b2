/** What RFC 7644 §3.12 names; beyond these only the status tells. */
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

/** A refusal in SCIM's own words. `detail` is read by whoever looks after the directory, in English as all of SCIM is. */
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

/** A 400 of this kind. */
export const refused = (scimType: ScimType, detail: string) => new ScimError(400, detail, { scimType })
