/**
 * The error codes, each with the HTTP status of its response. The first group is the catalogue of the project's
 * requirements. The second group contains Imori’s additions (docs/decisions/0003).
 */
export const errorStatus = {
  InternalServerError: 500,
  InvalidContentId: 400,
  InvalidPlanUpdate: 400,
  InvalidTagName: 400,
  Unauthorized: 401,
  IncorrectPassword: 401,
  Forbidden: 403,
  InvalidCsrfToken: 403,
  MemberQuotaExceeded: 403,
  ModelQuotaExceeded: 403,
  ContentQuotaExceeded: 403,
  ChangingOwnRole: 409,
  InvalidRoleChange: 400,
  InvalidRoleCreation: 400,
  InvalidRoleUpdate: 400,
  NotFound: 404,
  EmailIsAlreadyInUse: 409,
  InvitedAccountAlreadyExists: 409,
  OtherAdminMembersNotExist: 409,
  RoleIsStillInUse: 409,
  TagNameIsAlreadyInUse: 409,
  CustomFieldTypeIsAlreadyInUse: 409,
  ModelUidIsAlreadyInUse: 409,
  RequestFileTooLarge: 413,

  ValidationFailed: 400,
  InvalidPassword: 400,
  InvalidInvitationCode: 400,
  InvitationRequired: 403,
  SignupIsClosed: 403,
  LinkIsNotValid: 400,
  IncorrectCode: 401,
  PasskeyIsNotValid: 401,
  SignInHasEnded: 401,
  SettingIsFixed: 409,
  SpaceCreationIsRestricted: 403,
  SecondFactorIsInUse: 409,
  EmailIsNotVerified: 403,
  MemberEmailIsNotVerified: 409,
  OtherInstallationAdminsNotExist: 409,
  InvalidQueryParameter: 400,
  MethodNotAllowed: 405,
  PreconditionFailed: 412,
  UnsupportedMediaType: 415,
  RangeNotSatisfiable: 416,
  FileIsEmpty: 400,
  FileIsDamaged: 400,
  ImageIsTooLarge: 413,
  AppQuotaExceeded: 403,
  AssetQuotaExceeded: 403,
  StorageQuotaExceeded: 403,
  SpaceUidIsAlreadyInUse: 409,
  AppUidIsAlreadyInUse: 409,
  ModelIsStillReferenced: 409,
  VersionConflict: 409,
  FieldIsBeingConverted: 409,
  ValuesRepeat: 409,
  ChangeCannotBeTakenBack: 409,
  IdempotencyKeyReused: 422,
  IdempotencyInProgress: 409,
  TooManyRequests: 429,
  TooManyOpenUploads: 429,
  ServiceUnavailable: 503,
  OtherServiceUnreachable: 503,
  StorageFull: 507,
  FileCannotBeFetched: 400,
  UploadIsIncomplete: 409,
  UploadIsFinished: 409,
  StorageUnavailable: 503,
  StorageRefused: 503,
  ExternalStorageTestFailed: 400,
  FilesCouldNotBeMoved: 409,
  MoveIsNotReady: 409,
  TooManyMoves: 429,
  TooManyArchives: 409,
  TooManyWebhooks: 409,
  NoMailServer: 409,
  TooManyForms: 409,
  FormIdIsAlreadyInUse: 409,
  FormIsDisabled: 403,
  SubmissionIsInvalid: 422,
  NotRedeliverable: 409,
  WebhookIsDisabled: 409,
  AppIsBeingFilled: 409,
  MovePlanHasProblems: 409,
  MoveFileIsGone: 409,
  RequesterMayNot: 403,
  IpAddressNotAllowed: 403,
  TokenIsReadOnly: 403,
  SessionIsTooOld: 403,
  SecondFactorRequired: 403,
  WouldLockOutYourself: 409,
  WouldLimitTokens: 409,
  SsoRequired: 403,
  UsualSignInRequired: 403,
  SsoNotSetUp: 404,
  SsoSpaceIsNeeded: 409,
  MailServerIsSet: 409,
  MailServerUnavailable: 503,
  MailRefused: 502,
  SsoUnavailable: 503,
  SsoMetadataIsElsewhere: 400,
  SsoRefused: 403,
  SsoHasEnded: 401,
  SsoAddressNotAllowed: 403,
  SsoAddressIsMissing: 403,
  SsoAddressIsNotVerified: 403,
  SsoNotInvited: 403,
  SsoDeactivated: 403,
  SsoIsStillRequired: 409,
  SsoProtocolIsIncomplete: 409,
  SsoDomainIsNotVerified: 409,
  SsoCertificateIsNeeded: 409,
  SsoExemptAdminIsNeeded: 409,
} as const

export type ErrorCode = keyof typeof errorStatus

/** One problem of the input. `path` is the dotted path of the value (`sections.2.data.title`). */
export interface Issue {
  path: string
  code: IssueCode
  /** Parameters of the message, such as the bound that was exceeded. */
  params?: Record<string, string | number>
}

/**
 * Codes of validation messages, which the admin translates. They include the client messages that the
 * project's requirements name.
 */
export const issueCodes = [
  'Required',
  'TooManyCharacters',
  'TooFewCharacters',
  'TooLargeValue',
  'TooSmallValue',
  'TooManyItems',
  'TooFewItems',
  'SomeFieldsDoNotMeetTheRequirements',
  'SomeItemsDoNotMeetTheRequirements',
  'DuplicatedValue',
  'InvalidValue',
  'NonExistentFieldType',
  'InvalidType',
  'UnknownField',
  'ReservedWord',
  'InvalidFormat',
  'TooComplex',
  'InvalidCharacter',
  'NothingVisible',
  'CircularType',
  'CircularCondition',
  'NestedTooDeeply',
  'NotEmbeddable',
  'ReadOnly',
  'AddressNotAllowed',
  'NotAllowed',
  'NotAMember',
  'MissingAsset',
  'InvalidJson',
  'UnknownPlaceholder',
] as const
export type IssueCode = (typeof issueCodes)[number]

/** Returns the arguments of the message `issue.{code}` in the i18n catalogues. */
export const issueArguments = ({ params }: { params?: Issue['params'] }) => ({
  known: params ? 'yes' : 'no',
  maximum: '',
  minimum: '',
  character: '',
  circle: '',
  name: '',
  line: '',
  column: '',
  detail: '',
  ...params,
})

/** An error that is reported to the client. `details` is merged into the response, so it must not contain secrets. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly issues: Issue[] | undefined
  readonly details: Record<string, unknown> | undefined
  readonly headers: Record<string, string> | undefined

  constructor(
    code: ErrorCode,
    options: {
      message?: string
      issues?: Issue[]
      details?: Record<string, unknown>
      headers?: Record<string, string>
      cause?: unknown
    } = {},
  ) {
    super(options.message ?? code, { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    this.issues = options.issues
    this.details = options.details
    this.headers = options.headers
  }

  get status(): number {
    return errorStatus[this.code]
  }

  /** Returns a copy of this error with further details in the response. */
  with(details: Record<string, unknown>): AppError {
    const { code, message, issues, headers, cause } = this
    return new AppError(code, {
      message,
      cause,
      ...(issues ? { issues } : {}),
      ...(headers ? { headers } : {}),
      details: { ...this.details, ...details },
    })
  }
}

/** Creates a 400 `ValidationFailed` error with one issue. */
export function invalid(path: string, code: IssueCode, params?: Issue['params']): AppError {
  return new AppError('ValidationFailed', { issues: [params ? { path, code, params } : { path, code }] })
}
