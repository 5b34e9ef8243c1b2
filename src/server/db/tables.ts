import type { ColumnType, Generated } from 'kysely'
import type { AppIcon, AppImage } from '#shared/app-pictures.ts'
import type { AuditAct, AuditDetails, AuditObject } from '#shared/audit.ts'
import type { ExportOptions } from '#shared/contract/app-exports.ts'
import type { JobError, JobState, JobUnit } from '#shared/contract/jobs.ts'
import type { AnyMovePlan } from '#shared/contract/move-plans.ts'
import type { AppChanges, MoveChangeKind, MoveFileKind, MoveOutcome } from '#shared/contract/move-updates.ts'
import type { AppLink, MoveKind, MoveRefusal, MoveReport, StoredMoveState } from '#shared/contract/moves.ts'
import type { ViewSettings } from '#shared/contract/views.ts'
import type { Field } from '#shared/fields/index.ts'
import type { StoredChanges, StoredConversion } from '#shared/fields/stored-conversions.ts'
import type { FormField, LocalizedText, SubmissionState, SubmittedValue } from '#shared/forms/fields.ts'
import type { FormNotification, FormReply } from '#shared/forms/mail.ts'
import type { ImageSettings } from '#shared/image-settings.ts'
import type { Language } from '#shared/languages.ts'
import type { SignupConfirmation, SignupMode, SpaceCreation } from '#shared/sign-up.ts'
import type { ViewType } from '#shared/views.ts'

/** A column with a database default, which inserts may omit. */
type Defaulted<T> = ColumnType<T, T | undefined, T>
/** JSON is written as text, because pg would turn an array into a PostgreSQL array. It is read as a parsed value. */
type Json<T> = ColumnType<T, string, string>
type NullableJson<T> = ColumnType<T | null, string | null | undefined, string | null>

export interface AccountTable {
  id: string
  email: string
  email_key: string
  name: Defaulted<string>
  /** `null`: the account has no password and signs in by other means. */
  password_hash: string | null
  is_admin: Defaulted<boolean>
  language: Defaulted<Language>
  color_scheme: Defaulted<'auto' | 'light' | 'dark'>
  created_at: Defaulted<Date>
  icon_id: string | null
  /** Time of the first proof of an address by the account's owner. `null`: the address is not confirmed. */
  email_verified_at: Date | null
  /**
   * The space whose directory created the account for a user who has not signed in yet. `null` for all other accounts.
   */
  provisioned_by: number | null
  /** Name and e-mail address in the form that searches use. */
  search_text: ColumnType<string, never, never>
}

export interface AccountIconTable {
  account_id: string
  id: string
  media_type: string
  bytes: Buffer
}

export interface SessionTable {
  id_hash: Buffer
  account_id: string
  csrf_token: string
  created_at: Defaulted<Date>
  last_seen_at: Defaulted<Date>
  /** The browser's User-Agent and IP address at sign-in. */
  user_agent: Defaulted<string>
  ip: Defaulted<string>
  /** The space whose SSO created the session, with the connection and the time. `null`: not created by SSO. */
  sso_space_id: number | null
  sso_connection_id: string | null
  sso_at: Date | null
  /** Whether the user has signed in with the account's own means (a password, a passkey), and not only by SSO. */
  own_means: Defaulted<boolean>
}

/** Settings made by the installation's admins: one row, or none. */
export interface InstallationSettingTable {
  only_one: Defaulted<boolean>
  signup: SignupMode | null
  signup_confirmation: SignupConfirmation | null
  space_creation: SpaceCreation | null
  updated_at: Defaulted<Date>
}

/** A sign-up whose mailed link has not been opened yet. */
export interface PendingAccountTable {
  id: string
  email: string
  email_key: string
  password_hash: string
  name: string
  language: Language
  /** The code of an invitation, encrypted by the keyring. */
  invitation: string | null
  token_hash: Buffer | null
  expires_at: Date
}

/** A mailed link for confirming an address or a change of address, or for resetting a password or second factor. */
export interface AccountLinkTable {
  account_id: string
  purpose: 'confirmEmail' | 'resetPassword' | 'newEmail' | 'oldEmail' | 'resetFactor'
  token_hash: Buffer
  email: string
  email_key: string
  created_at: Defaulted<Date>
  expires_at: Date
  used_at: Date | null
}

/** An authenticator app. */
export interface TotpTable {
  account_id: string
  /** Encrypted by the keyring. */
  secret: string
  confirmed_at: Date | null
  last_step: Defaulted<number>
  created_at: Defaulted<Date>
}

export interface RecoveryCodeTable {
  account_id: string
  code_hash: Buffer
}

export interface PasskeyTable {
  id: string
  account_id: string
  credential: string
  public_key: Buffer
  counter: Defaulted<number>
  transports: Defaulted<string[]>
  name: Defaulted<string>
  created_at: Defaulted<Date>
  used_at: Date | null
}

export interface SignInChallengeTable {
  id: string
  token_hash: Buffer
  account_id: string | null
  webauthn: string | null
  failures: Defaulted<number>
  created_at: Defaulted<Date>
}

export interface AttemptTable {
  key: string
  window_start: Date
  count: number
}

/** A mail that was stored because no mail server is configured. */
export interface KeptMailTable {
  id: string
  language: Language
  /** Encrypted by the keyring. */
  content: string
  created_at: Defaulted<Date>
}

export interface SpaceTable {
  id: Generated<number>
  uid: string
  name: string
  plan: Defaulted<string>
  time_zone: Defaulted<string>
  created_at: Defaulted<Date>
  updated_at: Defaulted<Date>
  deleted_at: Date | null
}

/** `space_member.role`, `app_member.role` and `app.default_role` refer to a role by its `uid`. */
export interface RoleTable {
  /** `null`: a built-in role, available in every space. */
  space_id: number | null
  target: 'project' | 'app'
  uid: string
  name: Defaulted<string>
  rights: string[]
  position: Defaulted<number>
  created_at: Defaulted<Date>
  /** The only app in which the role exists. `null` for roles of spaces and for built-in roles. */
  app_id: number | null
  description: Defaulted<string>
  /** Exceptions for single models, by their public ids. */
  models: Json<RoleModels>
  version: Defaulted<number>
  updated_at: Defaulted<Date>
}

/**
 * The models in which a role has different rights, and the fields (by `_id`) that members with the role cannot change.
 */
export type RoleModels = Record<string, { rights?: string[]; readOnly?: string[] }>

export interface SpaceMemberTable {
  space_id: number
  id: string
  account_id: string
  role: string
  created_at: Defaulted<Date>
  /** Time of the member's last visit, accurate to about ten minutes. */
  last_seen_at: Defaulted<Date>
  /** Sign-ins before this time do not count in this space. `null`: all sign-ins count. */
  signed_in_after: Date | null
}

export interface AppTable {
  space_id: number
  id: Generated<number>
  uid: string
  name: string
  description: Defaulted<string>
  icon: NullableJson<AppIcon>
  cover: NullableJson<AppImage>
  visibility: Defaulted<'open' | 'private'>
  default_role: Defaulted<string>
  position: Defaulted<number>
  created_at: Defaulted<Date>
  updated_at: Defaulted<Date>
  deleted_at: Date | null
}

/** The bytes of an icon or cover that is not an emoji. */
export interface AppPictureTable {
  space_id: number
  app_id: number
  kind: 'icon' | 'cover'
  id: string
  media_type: string
  bytes: Buffer
}

export interface AppMemberTable {
  space_id: number
  app_id: number
  member_id: string
  role: string
  created_at: Defaulted<Date>
}

export interface LeftAppTable {
  space_id: number
  app_id: number
  member_id: string
  role: AppMemberTable['role']
  left_at: Defaulted<Date>
}

/** A former member. `who` is the account's id, or a hash of an e-mail address or identity. */
export interface RemovedMemberTable {
  space_id: number
  who: string
  removed_at: Defaulted<Date>
}

/**
 * Identifies an account in addition to its id and current e-mail address. `who` is a hash of a former address or an
 * identity.
 */
export interface AccountKnownAsTable {
  account_id: string
  who: string
}

/** A user who has accepted an invitation. `who` is the account's id, or a hash of an e-mail address or identity. */
export interface InvitationTakingTable {
  space_id: number
  invitation_id: string
  who: string
  taken_at: Defaulted<Date>
}

/** An invitation to a space, and optionally to one of its apps: by mail, or by a link (`email` is `null`). */
export interface InvitationTable {
  space_id: number
  id: string
  code_hash: Buffer
  email: string | null
  email_key: string | null
  role: string
  app_id: number | null
  app_role: string | null
  use_sso: Defaulted<boolean>
  /** `null`: unlimited until it expires. */
  maximum_uses: number | null
  uses: Defaulted<number>
  /** The member who created the invitation or last sent it again. */
  member_id: string
  created_at: Defaulted<Date>
  sent_at: Defaulted<Date>
  expires_at: Date
  revoked_at: Date | null
  /** The member, created by a directory, that the invited person will become. */
  provisioned: string | null
}

export interface AccessRequestTable {
  space_id: number
  app_id: number
  member_id: string
  message: Defaulted<string>
  created_at: Defaulted<Date>
  declined_at: Date | null
}

export interface ModelTable {
  space_id: number
  app_id: number
  id: Generated<number>
  public_id: string
  uid: string
  name: string
  description: Defaulted<string>
  fields: Json<Field[]>
  title_field: string | null
  version: Defaulted<number>
  position: Defaulted<number>
  conversions: ColumnType<StoredConversion[], string | undefined, string>
  created_at: Defaulted<Date>
  updated_at: Defaulted<Date>
  deleted_at: Date | null
}

export interface CustomTypeTable {
  space_id: number
  app_id: number
  id: Generated<number>
  public_id: string
  uid: string
  name: string
  description: Defaulted<string>
  fields: Json<Field[]>
  version: Defaulted<number>
  created_at: Defaulted<Date>
  updated_at: Defaulted<Date>
}

export interface AppViewTable {
  space_id: number
  app_id: number
  model_id: number
  uid: string
  owner_id: string | null
  name: string
  type: ViewType
  settings: Json<ViewSettings>
  position: number
  version: Defaulted<number>
  created_at: Defaulted<Date>
  updated_at: Defaulted<Date>
}

export interface ModelStatTable {
  space_id: number
  model_id: number
  documents: Defaulted<number>
  published: Defaulted<number>
  version: Defaulted<number>
}

export interface DocumentTable {
  space_id: number
  model_id: number
  id: string
  version: Defaulted<number>
  shape: Defaulted<number>
  draft: NullableJson<Record<string, unknown>>
  pub: NullableJson<Record<string, unknown>>
  published_version: number | null
  custom_order: number | null
  created_at: Defaulted<Date>
  updated_at: Defaulted<Date>
  first_published_at: Date | null
  published_at: Date | null
  published_updated_at: Date | null
  deleted_at: Date | null
  trashed_published_version: number | null
  trashed_published_at: Date | null
  trashed_published_updated_at: Date | null
  created_by: string | null
  updated_by: string | null
}

export interface DocumentTextTable {
  space_id: number
  model_id: number
  document_id: string
  /** 0: text of the current state, 1: of the published state, 2: of both, which are equal. */
  stage: 0 | 1 | 2
  texts: Json<Record<string, string>>
  grams: number[]
}

export interface RevisionTable {
  space_id: number
  model_id: number
  document_id: string
  version: number
  kind: 'create' | 'save' | 'publish' | 'unpublish' | 'delete' | 'restore'
  source: string
  blind: Defaulted<boolean>
  values: Json<Record<string, unknown>>
  created_at: Defaulted<Date>
  created_by: string | null
  author: NullableJson<{ name: string; email: string }>
}

export interface DocumentUniqueTable {
  space_id: number
  model_id: number
  field_id: string
  value_hash: Buffer
  document_id: string
  /**
   * 0: the current state has the value. 1: the document is published with the value, which no other published document
   * may have. 2: both.
   */
  stage: 0 | 1 | 2
}

export interface ModelChangeTable {
  space_id: number
  model_id: number
  version: number
  changes: Json<StoredChanges>
  positions: string[]
  title_field: string | null
  changed_by: string | null
  changed_at: Defaulted<Date>
  ended_at: Date | null
  custom_type_id: number | null
  custom_type_version: number | null
}

export interface DocumentBeforeTable {
  space_id: number
  model_id: number
  version: number
  document_id: string
  document_version: number
  draft: NullableJson<Record<string, unknown>>
  pub: NullableJson<Record<string, unknown>>
}

export interface IdempotencyTable {
  space_id: number
  /** The account or API token. */
  owner_id: string
  key: string
  fingerprint: Buffer
  answer: Json<unknown>
  created_at: Defaulted<Date>
}

export interface DocumentReferenceTable {
  space_id: number
  from_model_id: number
  from_id: string
  to_model_id: number
  to_id: string
}

export interface TokenTable {
  space_id: number
  id: string
  kind: 'cdn' | 'api'
  name: string
  value_hash: Buffer
  last4: string
  app_ids: number[] | null
  /** Whether the token may also write, in the management API. Only API tokens may. */
  writes: Defaulted<boolean>
  created_by: string | null
  created_at: Defaulted<Date>
  last_used_at: Date | null
  expires_at: Date | null
}

export interface WebhookTable {
  space_id: number
  id: string
  name: string
  url: string
  method: 'POST' | 'PUT' | 'PATCH' | 'GET' | 'DELETE'
  enabled: boolean
  events: string[]
  targets: NullableJson<{ appId: number; modelIds: number[] | null }[]>
  headers: Json<{ name: string; value: string | null }[]>
  sealed: string
  has_previous_secret: Defaulted<boolean>
  body: string | null
  includes_before: boolean
  includes_after: boolean
  batch_seconds: number
  failures: Defaulted<number>
  paused_since: Date | null
  paused_until: Date | null
  mailed_at: Date | null
  version: Defaulted<number>
  failing_since: Date | null
  held_until: Date | null
  gone_at: Date | null
  position: Defaulted<number>
  created_by: string | null
  created_at: Defaulted<Date>
  updated_at: Defaulted<Date>
}

export interface WebhookMessageTable {
  space_id: number
  id: string
  webhook_id: string
  sequence: Generated<number>
  event: string
  events: Json<Record<string, unknown>[]>
  ordering_key: string
  app_id: number | null
  model_id: number | null
  document_id: string | null
  body: string | null
  body_gzip: Buffer | null
  body_length: number | null
  state: Defaulted<'waiting' | 'sent' | 'failed'>
  attempts: Defaulted<number>
  tries: Defaulted<number>
  waiting_since: Defaulted<Date>
  next_at: Date | null
  status: number | null
  reason: string | null
  took: number | null
  created_at: Defaulted<Date>
  ended_at: Date | null
}

export interface WebhookAttemptTable {
  space_id: number
  message_id: string
  number: number
  at: Date
  took: number
  status: number | null
  reason: string | null
  detail: Defaulted<string>
  headers: Json<{ name: string; value: string }[]>
  answer: string | null
}

export interface FormTable {
  space_id: number
  id: string
  /** The public id. */
  key: string
  name: string
  enabled: boolean
  fields: Json<FormField[]>
  origins: string[]
  thanks_url: string | null
  thanks_message: Json<LocalizedText>
  retention_days: number | null
  notification: ColumnType<FormNotification, string | undefined, string>
  reply: ColumnType<FormReply, string | undefined, string>
  notify_after: Date | null
  test_mailed_at: Date | null
  version: Defaulted<number>
  created_at: Defaulted<Date>
  updated_at: Defaulted<Date>
  deleted_at: Date | null
}

export interface FormSubmissionTable {
  space_id: number
  id: string
  form_id: string
  state: Defaulted<SubmissionState>
  /** The column type is `json`, which keeps the text as written. */
  values: Json<SubmittedValue[]>
  email: string | null
  page: string | null
  language: Language
  file_count: Defaulted<number>
  awaits_notification: Defaulted<boolean>
  awaits_reply: Defaulted<boolean>
  reply_state: 'queued' | 'limited' | null
  received_at: Defaulted<Date>
  updated_at: Defaulted<Date>
  deleted_at: Date | null
}

export interface FormFileTable {
  space_id: number
  id: string
  form_id: string
  submission_id: string
  field: string
  file_name: string
  media_type: string
  size: number
  hash: Buffer
  storage: string
  storage_key: string
  created_at: Defaulted<Date>
}

export interface EventTable {
  id: Generated<number>
  space_id: number
  type: string
  app_id: number | null
  model_id: number | null
  document_id: string | null
  /** The account that acted, or that requested the job. */
  actor_id: string | null
  actor_kind: Defaulted<'account' | 'token' | 'job' | 'system' | 'visitor'>
  actor_name: string | null
  payload: Json<Record<string, unknown>>
  created_at: Defaulted<Date>
  position: Defaulted<number | null>
}

export interface AuditEntryTable {
  /** 0: the log of the installation. */
  space_id: number
  /** Milliseconds since the start of 2025 (UTC), times 4096, plus a sequence number. */
  id: Defaulted<number>
  xact: Defaulted<number>
  act: AuditAct
  outcome: Defaulted<string>
  actor_kind: 'account' | 'token' | 'job' | 'system' | 'visitor' | 'operator' | 'nobody'
  actor_id: string | null
  actor_name: string | null
  ip: string | null
  agent: string | null
  object_kind: AuditObject
  object_id: string | null
  object_name: string | null
  details: ColumnType<AuditDetails, string | undefined, string>
}

export interface AuditSealTable {
  space_id: number
  number: number
  from_xact: number
  to_xact: number
  entries: number
  /** Number of entries of this seal and all previous seals. */
  total: number
  hash: Buffer
  created_at: Defaulted<Date>
}

export interface AuditSealedTable {
  one: Defaulted<boolean>
  to_xact: number
}

export interface AuditCutTable {
  space_id: number
  /** Number of the last seal whose entries were deleted. */
  number: number
  entries: number
  /** The retention that the space had set, in days. */
  days: number
  created_at: Defaulted<Date>
}

/** The version of the rows that determine rights in a space. Triggers change it when such a row changes. */
export interface SpacePolicyTable {
  space_id: number
  version: Defaulted<string>
}

export interface SpaceDeliveryTable {
  space_id: number
  tokens: Defaulted<string>
  models: Defaulted<string>
  files: Defaulted<string>
  library: Defaulted<string>
}

export interface SpaceSecurityTable {
  space_id: number
  /** `null`: any IP address. */
  ip_ranges: string[] | null
  token_ip_ranges: string[] | null
  session_hours: number | null
  second_factor: Defaulted<boolean>
  sso_required: Defaulted<boolean>
  /** The account of the member who may enter without SSO. `null`: none. */
  sso_exempt: string | null
  /** Retention in days. `null`: unlimited. */
  audit_days: number | null
  /** Whether members see each other's e-mail addresses. */
  addresses_visible: Defaulted<boolean>
  version: Defaulted<number>
  /**
   * Time until which a member with all rights, whose IP address is in the pending `ip_ranges`, must confirm them.
   * Otherwise `ip_ranges_before` applies. `null`: no ranges are pending.
   */
  ip_ranges_pending_until: Date | null
  ip_ranges_before: string[] | null
  /**
   * Time until which the pending `token_ip_ranges` must be confirmed. Otherwise `token_ip_ranges_before` applies.
   * `null`: no ranges are pending.
   */
  token_ip_ranges_pending_until: Date | null
  token_ip_ranges_before: string[] | null
  updated_at: Defaulted<Date>
}

export interface GroupRoleTable {
  space_id: number
  position: number
  name: string
  role: string
}

export interface GroupAppRoleTable extends GroupRoleTable {
  app_id: number
}

export interface GroupRoleSettingTable {
  space_id: number
  default_role: string
  version: Defaulted<number>
  updated_at: Defaulted<Date>
}

export interface SsoConnectionTable {
  space_id: number
  id: string
  kind: 'saml' | 'oidc'
  settings: Json<{ saml?: object; oidc?: object }>
  secret: string | null
  provisions: boolean
  is_complete: boolean
  version: Defaulted<number>
  updated_at: Defaulted<Date>
}

export interface SsoDomainTable {
  space_id: number
  domain: string
  challenge: string
  /** `null`: not proven. */
  proof: 'dns' | 'operator' | 'earlier' | null
  checked_at: Date | null
  created_at: Defaulted<Date>
}

/** A proven domain that was removed from the list. */
export interface FormerSsoDomainTable {
  space_id: number
  domain: string
  challenge: string
  proof: string
}

export interface SsoIdentityTable {
  connection_id: string
  issuer: string
  subject: string
  space_id: number
  account_id: string
  made_account: boolean
  created_at: Defaulted<Date>
  last_used_at: Defaulted<Date>
}

export interface SsoSignInTable {
  id: string
  connection_id: string
  state_hash: Buffer | null
  browser_hash: Buffer | null
  code_hash: Buffer | null
  kept: string | null
  popup: Defaulted<boolean>
  target: string | null
  answered: Defaulted<boolean>
  expires_at: Date
}

export interface SsoAssertionTable {
  connection_id: string
  id_hash: Buffer
  expires_at: Date
}

export interface OutboxCursorTable {
  name: string
  position: number
  updated_at: Defaulted<Date>
}

/** A job that an event consumer has added for an event after its cursor. */
export interface EventJobTable {
  consumer: string
  position: number
  job_name: string
}

/** Changes and calls of a space on one day in UTC (`YYYY-MM-DD`). Sizes are in bytes. */
export interface UsageDayTable {
  space_id: number
  day: string
  documents_created: Defaulted<number>
  documents_deleted: Defaulted<number>
  assets_created: Defaulted<number>
  assets_deleted: Defaulted<number>
  bytes_added: Defaulted<number>
  bytes_removed: Defaulted<number>
  cdn_calls: Defaulted<number>
  api_calls: Defaulted<number>
}

/** Current number of documents and assets of a space, and size of the files in bytes, including the trash. */
export interface UsageStockTable {
  space_id: number
  documents: Defaulted<number>
  assets: Defaulted<number>
  bytes: Defaulted<number>
}

export interface JobTable {
  id: string
  space_id: number | null
  name: string
  payload: Json<unknown>
  key: string | null
  queue: string | null
  priority: number
  max_attempts: number
  state: Defaulted<JobState>
  failures: Defaulted<number>
  run_at: Defaulted<Date>
  worker: Defaulted<string | null>
  run: Defaulted<string | null>
  done: Defaulted<number | null>
  total: Defaulted<number | null>
  cancel_requested: Defaulted<boolean>
  error: NullableJson<JobError>
  requested_by: string | null
  created_at: Defaulted<Date>
  started_at: Defaulted<Date | null>
  finished_at: Defaulted<Date | null>
  unit: Defaulted<JobUnit | null>
  failure: Defaulted<string | null>
  repeats: Defaulted<number>
  interruptions: Defaulted<number>
  reached: Defaulted<number>
  outages: Defaulted<number>
  is_long: Defaulted<boolean>
  is_network: Defaulted<boolean>
}

/** Files of the media library. The content is in a storage (`storage`, `storage_key`: a row of `asset_blob`). */
export interface AssetTable {
  space_id: number
  id: string
  file_name: string
  media_type: string
  size: number
  storage: Defaulted<string>
  storage_key: string
  hash: Buffer
  width: number | null
  height: number | null
  placeholder: string | null
  metadata: Json<Record<string, unknown>>
  title: Defaulted<string>
  description: Defaulted<string>
  alt_text: Defaulted<string>
  focal_x: number | null
  focal_y: number | null
  is_private: Defaulted<boolean>
  version: Defaulted<number>
  created_at: Defaulted<Date>
  created_by: string | null
  updated_at: Defaulted<Date>
  updated_by: string | null
  deleted_at: Date | null
  search_text: Defaulted<string>
  grams: Defaulted<number[]>
  previous_storage: string | null
  previous_storage_key: string | null
  previous: NullableJson<PreviousFile>
  previous_at: Date | null
  /** For example `.pdf`. Computed from `file_name`. */
  file_ending: ColumnType<string, never, never>
  /**
   * Set for an asset that delivery serves from `src`, because its file could not be imported or was external. `null`:
   * the file is in the storage.
   */
  elsewhere: NullableJson<ElsewhereFile>
  /** Whether the asset has any tag. Maintained by triggers. */
  tagged: ColumnType<boolean, never, never>
}

/** URL of a file that could not be imported or was external, and its properties that are delivered. */
export interface ElsewhereFile {
  src: string
  fileType: string
  fileSize: number
  width: number | null
  height: number | null
}

/** The file that an asset had before its last replacement or edit. */
export interface PreviousFile {
  mediaType: string
  size: number
  /** SHA-256 in hex. */
  hash: string
  width: number | null
  height: number | null
  placeholder: string | null
  metadata: Record<string, unknown>
  focalPoint: { x: number; y: number } | null
}

export interface AssetBlobTable {
  space_id: number
  storage: string
  key: string
  hash: Buffer
  touched_at: Defaulted<Date>
  doomed_at: Date | null
}

export interface OpenUploadTable {
  space_id: number
  id: string
  account_id: string | null
  size: number
  expires_at: Date
}

export interface TagTable {
  space_id: number
  id: string
  name: string
  name_key: string
  created_at: Defaulted<Date>
  created_by: string | null
}

export interface AssetTagTable {
  space_id: number
  asset_id: string
  tag_id: string
}

export interface AssetFolderTable {
  space_id: number
  id: string
  name: string
  filter: Json<Record<string, string>>
  created_at: Defaulted<Date>
  created_by: string | null
}

export interface AssetReferenceTable {
  space_id: number
  model_id: number
  document_id: string
  asset_id: string
}

/** A bucket that belongs to a space. `left_at` is `null` while new files are stored in it. */
export interface ExternalStorageTable {
  space_id: number
  id: string
  endpoint: string
  region: string
  bucket: string
  prefix: string
  style: 'path' | 'host'
  key_last4: string
  /** Encrypted by the keyring. */
  credentials: string
  created_at: Defaulted<Date>
  created_by: string | null
  updated_at: Defaulted<Date>
  left_at: Defaulted<Date | null>
}

export interface FieldIndexTable {
  name: string
  model_id: number
  field_id: string
  keys: string
  created_at: Defaulted<Date>
  last_used_at: Defaulted<Date>
}

export interface FieldIndexUseTable {
  name: string
  model_id: number
  field_id: string
  keys: string
  noted_at: Defaulted<Date>
}

export interface ImageSettingsTable {
  space_id: number
  settings: Json<ImageSettings>
  key_generation: Defaulted<number>
  updated_at: Defaulted<Date>
}

export interface ScimConnectionTable {
  space_id: number
  id: string
  value_hash: Buffer
  last4: string
  sends_mail: boolean
  created_by: string | null
  created_at: Defaulted<Date>
  renewed_at: Date | null
  last_used_at: Date | null
}

/** Roles of a membership that a directory has ended. `apps` contains the id of each app and the role in it. */
export interface KeptRoles {
  /** `null`: a group assigned the role. */
  role: string | null
  apps: [number, string][]
}

/** A user as described by a directory. */
export interface ScimUserTable {
  space_id: number
  id: string
  member_id: string
  account_id: string | null
  user_name: string
  user_name_key: string
  external_id: string | null
  attributes: Json<Record<string, unknown>>
  kept: Json<KeptRoles> | null
  version: Defaulted<number>
  created_at: Defaulted<Date>
  updated_at: Defaulted<Date>
}

export interface ScimGroupTable {
  space_id: number
  id: string
  name: string
  name_key: string
  external_id: string | null
  version: Defaulted<number>
  created_at: Defaulted<Date>
  updated_at: Defaulted<Date>
}

export interface ScimGroupMemberTable {
  space_id: number
  group_id: string
  user_id: string
}

/** An import from an archive or another service. */
export interface MoveTable {
  space_id: number
  id: string
  state: Defaulted<StoredMoveState>
  /** The URL from which the archive is fetched. `null`: the archive is uploaded. */
  import_url: Defaulted<string | null>
  file_name: string
  file_size: number
  plan: NullableJson<AnyMovePlan>
  problem: NullableJson<MoveRefusal>
  app_id: number | null
  kind: Defaulted<MoveKind>
  /** The move whose app this move updates. For an import into an existing app: the id of this row. */
  updates: Defaulted<string | null>
  /** The changes of an update, or of an import into an existing app. An update has no plan. */
  changes: NullableJson<AppChanges>
  report: NullableJson<MoveReport>
  job_id: string | null
  created_at: Defaulted<Date>
  created_by: string | null
  started_at: Date | null
  finished_at: Date | null
  /** For one of several apps in an archive: the move of the whole archive, and the app's folder within the archive. */
  parent_id: Defaulted<string | null>
  part: Defaulted<string | null>
  /** Position of the app among the apps of the archive. */
  part_position: Defaulted<number>
  /** False: this app is not imported. */
  chosen: Defaulted<boolean>
  app_links: NullableJson<AppLink[]>
  /** Time until which an archive that is being uploaded counts towards the limits of its account. */
  upload_until: Defaulted<Date>
}

/** The state in which a move left a document, so that an update can detect later local changes. */
export interface MovedDocumentTable {
  space_id: number
  model_id: number
  document_id: string
  move_id: string
  version: number
  updated_at: Date
  published_at: Date | null
  custom_order: number | null
}

/** A document that differs between the source and the app since the last import, and the outcome of its update. */
export interface MoveChangeTable {
  space_id: number
  move_id: string
  model_id: number
  document_id: string
  kind: MoveChangeKind
  takes: boolean
  version: number | null
  title: string
  outcome: MoveOutcome | null
  problem: string | null
  left_out: Defaulted<string[]>
}

/** The state of a file after the last update that processed a change of this file in the source. */
export interface MovedAssetTable {
  space_id: number
  asset_id: string
  move_id: string
  hash: Buffer
  version: number
  archived_at: Date
}

/** A file that was replaced in the source of an update, and the outcome of the update for this file. */
export interface MoveFileTable {
  space_id: number
  move_id: string
  asset_id: string
  kind: MoveFileKind
  takes: boolean
  version: number
  file_name: string
  outcome: MoveOutcome | null
  problem: string | null
}

/** Progress of one model that is copied into an app. `carry_id` is the id of a move, or of another job that copies. */
export interface CarryModelTable {
  space_id: number
  carry_id: string
  model: string
  model_id: number
  done: Defaulted<number>
  total: number
  problems: ColumnType<MoveReport['problems'], string | undefined, string>
  /** Original `_id` of the last copied document. Only for sources that are read in the order of `_id`. */
  last_id: Defaulted<string | null>
}

export interface CarryAssetTable {
  space_id: number
  carry_id: string
  asset_id: string
  made: boolean
  problem: string | null
}

export interface SiteRequestTable {
  space_id: number
  model_id: number
  kind: 'cdn' | 'api'
  site: string
  agent: string
  first_at: Defaulted<Date>
  last_at: Defaulted<Date>
}

/** Number of assets outside the trash with equal content. Maintained by a trigger. */
export interface AssetCopiesTable {
  space_id: number
  hash: Buffer
  assets: number
}

/** Number and bytes of assets outside the trash. Maintained by a trigger when a transaction ends. */
export interface AssetTotalTable {
  space_id: number
  assets: number
  bytes: number
}

/** Keys that sign the archives of this installation. The private key is encrypted by the keyring. */
export interface ArchiveKeyTable {
  fingerprint: string
  public_key: string
  private_key: string
  created_at: Defaulted<Date>
}

/** An export of one app, or of all apps of the space, into a downloadable file. */
export interface AppExportTable {
  space_id: number
  id: string
  /** The newest event of the space when the export was requested. */
  event_id: Defaulted<number>
  /** `null`: all apps of the space. */
  app_id: number | null
  options: Json<ExportOptions>
  job_id: string | null
  file_name: string
  /** `null`: the file has not been written. */
  file_size: number | null
  /** Number of assets whose files were not available. */
  missing: Defaulted<number>
  created_at: Defaulted<Date>
  created_by: string | null
  finished_at: Defaulted<Date | null>
  expires_at: Defaulted<Date | null>
}

/** A version of an app that was saved as a template. */
export interface AppTemplateTable {
  space_id: number
  id: string
  version: number
  app_id: number
  name: string
  description: string
  has_documents: boolean
  /** `PortableApp` of the archive format. */
  parts: NullableJson<object>
  counts: NullableJson<Record<string, number>>
  storage: Defaulted<string | null>
  job_id: string | null
  created_at: Defaulted<Date>
  created_by: string | null
}

/** The template from which an app was created. */
export interface AppOriginTable {
  space_id: number
  app_id: number
  template: string
  version: number | null
  language: string
  carry_id: string
  /** `PortableApp` of the archive format. */
  parts: Json<object>
  undo: NullableJson<object>
  updated_at: Defaulted<Date>
}

export interface AssetFormerUidTable {
  space_id: number
  uid: string
  asset_id: string
}

export interface Tables {
  account: AccountTable
  account_icon: AccountIconTable
  session: SessionTable
  attempt: AttemptTable
  kept_mail: KeptMailTable
  installation_setting: InstallationSettingTable
  account_link: AccountLinkTable
  pending_account: PendingAccountTable
  totp: TotpTable
  recovery_code: RecoveryCodeTable
  passkey: PasskeyTable
  sign_in_challenge: SignInChallengeTable
  space: SpaceTable
  role: RoleTable
  space_member: SpaceMemberTable
  app: AppTable
  app_picture: AppPictureTable
  app_template: AppTemplateTable
  app_origin: AppOriginTable
  app_member: AppMemberTable
  left_app: LeftAppTable
  removed_member: RemovedMemberTable
  account_known_as: AccountKnownAsTable
  invitation: InvitationTable
  invitation_taking: InvitationTakingTable
  access_request: AccessRequestTable
  model: ModelTable
  custom_type: CustomTypeTable
  app_view: AppViewTable
  model_stat: ModelStatTable
  document: DocumentTable
  document_text: DocumentTextTable
  revision: RevisionTable
  document_unique: DocumentUniqueTable
  document_reference: DocumentReferenceTable
  document_before: DocumentBeforeTable
  model_change: ModelChangeTable
  idempotency: IdempotencyTable
  token: TokenTable
  webhook: WebhookTable
  webhook_message: WebhookMessageTable
  webhook_attempt: WebhookAttemptTable
  form: FormTable
  form_submission: FormSubmissionTable
  form_file: FormFileTable
  asset: AssetTable
  asset_blob: AssetBlobTable
  open_upload: OpenUploadTable
  tag: TagTable
  asset_tag: AssetTagTable
  asset_folder: AssetFolderTable
  asset_reference: AssetReferenceTable
  image_settings: ImageSettingsTable
  asset_former_uid: AssetFormerUidTable
  asset_copies: AssetCopiesTable
  asset_total: AssetTotalTable
  site_request: SiteRequestTable
  move: MoveTable
  moved_document: MovedDocumentTable
  move_change: MoveChangeTable
  moved_asset: MovedAssetTable
  move_file: MoveFileTable
  carry_model: CarryModelTable
  archive_key: ArchiveKeyTable
  app_export: AppExportTable
  carry_asset: CarryAssetTable
  event: EventTable
  space_policy: SpacePolicyTable
  space_delivery: SpaceDeliveryTable
  space_security: SpaceSecurityTable
  group_role: GroupRoleTable
  group_app_role: GroupAppRoleTable
  sso_connection: SsoConnectionTable
  sso_domain: SsoDomainTable
  former_sso_domain: FormerSsoDomainTable
  sso_identity: SsoIdentityTable
  sso_sign_in: SsoSignInTable
  sso_assertion: SsoAssertionTable
  group_role_setting: GroupRoleSettingTable
  audit_entry: AuditEntryTable
  audit_seal: AuditSealTable
  audit_sealed: AuditSealedTable
  audit_cut: AuditCutTable
  scim_connection: ScimConnectionTable
  scim_user: ScimUserTable
  scim_group: ScimGroupTable
  scim_group_member: ScimGroupMemberTable
  outbox_cursor: OutboxCursorTable
  event_job: EventJobTable
  usage_day: UsageDayTable
  usage_stock: UsageStockTable
  job: JobTable
  external_storage: ExternalStorageTable
  field_index: FieldIndexTable
  field_index_use: FieldIndexUseTable
}
