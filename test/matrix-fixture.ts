import { z } from 'zod'
import { appScope, modelScope, spaceScope } from '#server/db/scope.ts'
import { insertApp } from '#server/features/apps/apps.repository.ts'
import { insertCustomType } from '#server/features/models/custom-types.repository.ts'
import { insertModel } from '#server/features/models/models.repository.ts'
import { saveConnection } from '#server/features/sso/sso.repository.ts'
import { insertView } from '#server/features/views/views.repository.ts'
import { enqueue } from '#server/jobs/enqueue.ts'
import { defineJob } from '#server/jobs/job.ts'
import { newId, sha256 } from '#server/lib/ids.ts'
import { signValue } from '#server/lib/signed-value.ts'
import type { Endpoint } from '#shared/contract/endpoint.ts'
import type { Endpoints } from '#shared/contract/index.ts'
import type { ErrorCode } from '#shared/errors.ts'
import { fieldSchema } from '#shared/fields/index.ts'
import { noNotification, noReply } from '#shared/forms/mail.ts'
import { type AppRole, appRoles } from '#shared/permissions.ts'
import type { S3Credentials, S3Location } from '#shared/storage.ts'
import { makeCertificate } from './certificates.ts'
import {
  createAccount,
  createApp,
  createModel,
  createSpace,
  type TestAccount,
  testPassword,
  unique,
} from './factories.ts'
import { insertForm, insertFormFile, insertSubmission } from './forms.ts'
import { idpMetadata } from './idp-metadata.ts'
import { addImport, addMove, movePlan } from './matrix-moves.ts'
import { addTemplate } from './matrix-templates.ts'
import { type Client, formOf, ok, type TestInstallation, testSecrets } from './server.ts'

/** A caller. `outside`: a member of the space who is not a member of the app. */
export type Who = 'nobody' | 'stranger' | 'outside' | AppRole | 'pjt-Admin'
const appRoleNames = Object.keys(appRoles) as AppRole[]
export const everybody: Who[] = ['nobody', 'stranger', 'outside', ...appRoleNames, 'pjt-Admin']

/** `_id` of the picture of every account. */
const everyIcon = 'abcdef'.repeat(4)

/** The accounts of the test. Each fixture sets their roles. */
export interface People {
  clients: Record<Who, Client>
  accounts: Record<Exclude<Who, 'nobody'>, TestAccount>
  /** The account that created the spaces, and is an admin of each. */
  owner: TestAccount
  /** URL of a file that the server can fetch. */
  fileUrl: string
  /** A storage that a space may use, with its keys. */
  bucket: S3Location & S3Credentials
  /** Code of an invitation into another space of the owner, without a limit of uses. */
  invitationCode: string
}

export async function invitePeople(
  installation: TestInstallation,
  fileUrl = 'http://localhost/',
  bucket = {} as People['bucket'],
): Promise<People> {
  const accounts = {} as People['accounts']
  const clients = { nobody: installation.visitor() } as People['clients']
  for (const who of everybody) {
    if (who === 'nobody') continue
    accounts[who] = await createAccount(installation, { verified: true })
    clients[who] = accounts[who].client
    await giveIcon(installation, accounts[who])
  }
  const owner = await createAccount(installation)
  const elsewhere = await createSpace(owner.client)
  const { invitation } = ok(await owner.client.post(`${elsewhere.url}/invitation`, { invitation: {} }))
  const invitationCode = new URL(invitation.url).searchParams.get('code') ?? ''
  return { accounts, clients, owner, fileUrl, bucket, invitationCode }
}

/** Adds a picture to the account, for the calls that read one. */
export async function giveIcon({ database }: TestInstallation, { id }: { id: string }): Promise<void> {
  const icon = { account_id: id, id: everyIcon, media_type: 'image/gif', bytes: gif }
  await database.kysely.insertInto('account_icon').values(icon).execute()
}

type FixtureId =
  | 'member'
  | 'cdnToken'
  | 'template'
  | 'apiToken'
  | 'webhook'
  | 'delivery'
  | 'form'
  | 'submission'
  | 'formFile'
  | 'doc'
  | 'job'
  | 'move'
  | 'import'
  | 'customFieldType'
  | 'appView'
  | 'asset'
  | 'tag'
  | 'folder'
  | 'role'
  | 'invitation'
  | 'accessRequest'
  | 'sso'
  | 'scimUser'
  | 'scimGroup'
  | 'scimResourceType'
  | 'scimSchema'

/** Kind of the object that `{id}` identifies, by the preceding path segment. */
const idKinds: Record<string, FixtureId> = {
  member: 'member',
  cdnToken: 'cdnToken',
  apiToken: 'apiToken',
  webhook: 'webhook',
  delivery: 'delivery',
  form: 'form',
  doc: 'doc',
  job: 'job',
  jobs: 'job',
  move: 'move',
  import: 'import',
  customFieldType: 'customFieldType',
  appView: 'appView',
  asset: 'asset',
  assets: 'asset',
  tags: 'tag',
  assetFolders: 'folder',
  role: 'role',
  invitation: 'invitation',
  accessRequest: 'accessRequest',
  sso: 'sso',
  Users: 'scimUser',
  Groups: 'scimGroup',
  ResourceTypes: 'scimResourceType',
  Schemas: 'scimSchema',
}

/** A space with the objects that the endpoints need. */
export interface Fixture {
  people: People
  /** Values of `{p}`, `{a}`, `{m}` in a path. */
  p: string
  a: string
  m: string
  ids: Record<FixtureId, string>
  /** Another app, with a custom type that its model uses. */
  library: { app: string; model: string; customType: string }
  /** Confirmation of the asset's upload, for the caller. */
  confirmation: string
  /** Token in the signed URL of an upload of 12 bytes that is not confirmed. */
  upload: string
}

/**
 * Creates a space with an app, a model, a document by `author` (by the owner if `author` may not write), tokens, and a
 * member for every caller except `nobody` and `stranger`.
 *
 * - `visibility`: visibility of the app
 * - `members`: whether the callers are added
 * - `asker`: owner of the job, the view, the asset, the moves and the template, if not the author
 * - `reading`: whether the bytes of the asset are written to the storage
 */
export async function makeFixture(
  installation: TestInstallation,
  people: People,
  {
    author = 'pjt-Admin' as Who,
    visibility = 'open' as 'open' | 'private',
    members = true,
    reading = false,
    asker = undefined as { id: string } | undefined,
  } = {},
): Promise<Fixture> {
  const { owner } = people
  const space = await createSpace(owner.client)
  const app = await createApp(owner.client, space)
  const model = await createModel(owner.client, app)
  if (visibility === 'private')
    ok(await owner.client.patch(app.url, { accessSettings: { visibility, defaultRole: 'app-Editor' } }))
  const member = members ? await addEverybody(installation, people, space.uid, app.uid) : newId()
  const writes =
    ['app-Admin', 'app-Editor', 'app-Author', 'app-Contributor', 'pjt-Admin'].includes(author) && members
  const writer = writes ? people.clients[author] : owner.client
  const { document } = ok(await writer.post(`${model.url}/doc`, { document: { title: '下書き' } }))
  const tokens = await addTokens(installation, space.uid)
  const asking = asker ?? (author === 'nobody' || !members ? owner : people.accounts[author])
  const job = await addJob(installation, space.uid, asking)
  const { customFieldType, library } = await addCustomTypes(installation, space.uid, app.uid)
  await addChanges(installation, model.uid, customFieldType)
  const appView = await addView(installation, space.uid, model.uid, asking)
  const media = await addMedia(installation, space.uid, asking, reading)
  const sso = await addSso(installation, space.uid)
  return {
    people,
    p: space.uid,
    a: app.uid,
    m: model.uid,
    ids: {
      member,
      ...tokens,
      ...(await addForm(installation, space.uid)),
      doc: document._id,
      job,
      move: await addMove(installation, space.uid, asking.id),
      import: await addImport(installation, space.uid, app.uid, asking.id),
      template: await addTemplate(installation, space.uid, app.uid, asking.id),
      customFieldType,
      appView,
      sso,
      ...media.ids,
      ...(await addPeopleThings(installation, app.uid, member)),
    },
    library,
    confirmation: media.confirmation,
    upload: media.upload,
  }
}

/** The public id of a form in each fixture. */
const everyForm = 'everyForm'

/** Adds a CDN token and an API token, whose values equal their ids, and a webhook that has sent one request. */
async function addTokens({ database }: TestInstallation, spaceUid: string) {
  const ids = { cdnToken: newId(), apiToken: newId(), webhook: newId(), delivery: newId() }
  const { id: space_id } = await database.kysely
    .selectFrom('space')
    .select('id')
    .where('uid', '=', spaceUid)
    .executeTakeFirstOrThrow()
  const token = (id: string, kind: 'cdn' | 'api') => ({
    space_id,
    id,
    kind,
    name: kind,
    value_hash: sha256(id),
    last4: 'last',
  })
  await database.kysely
    .insertInto('token')
    .values([token(ids.cdnToken, 'cdn'), token(ids.apiToken, 'api')])
    .execute()
  await database.kysely
    .insertInto('webhook')
    .values({
      space_id,
      id: ids.webhook,
      name: 'webhook',
      url: 'http://127.0.0.1:9/',
      method: 'POST',
      enabled: true,
      events: ['document.saved'],
      headers: '[]',
      sealed: '',
      includes_before: false,
      includes_after: false,
      batch_seconds: 0,
    })
    .execute()
  await database.kysely
    .insertInto('webhook_message')
    .values({
      space_id,
      id: ids.delivery,
      webhook_id: ids.webhook,
      ordering_key: ids.delivery,
      event: 'document.saved',
      events: '[]',
      state: 'sent',
    })
    .execute()
  await database.kysely
    .insertInto('webhook_attempt')
    .values({ space_id, message_id: ids.delivery, number: 1, at: new Date(), took: 1, headers: '[]' })
    .execute()
  return ids
}

/** Adds a form with a submission that has a file. The bytes of the file are in the local storage. */
async function addForm(installation: TestInstallation, spaceUid: string) {
  const db = installation.database.kysely
  const { id: spaceId } = await db
    .selectFrom('space')
    .select('id')
    .where('uid', '=', spaceUid)
    .executeTakeFirstOrThrow()
  const { id: formId } = await insertForm(db, spaceId, { key: everyForm })
  const submission = await insertSubmission(db, spaceId, formId)
  const formFile = await insertFormFile(installation, spaceId, { formId, id: submission })
  return { form: formId, submission, formFile }
}

/** The certificate of the identity provider. `certificate` creates it on the first call. */
let ofProvider: string | undefined
function certificate(): string {
  ofProvider ??= makeCertificate().certificate
  return ofProvider
}

/** Sets up SAML for the members of the space. Returns the id of the connection. */
async function addSso({ database }: TestInstallation, spaceUid: string): Promise<string> {
  const db = database.kysely
  const { id } = await db
    .selectFrom('space')
    .select('id')
    .where('uid', '=', spaceUid)
    .executeTakeFirstOrThrow()
  const settings = { entityId: 'https://idp.example.com', signInUrl: 'https://idp.example.com/sign-in' }
  const connection = newId()
  await saveConnection(db, spaceScope(id), {
    id: connection,
    kind: 'saml',
    saml: { ...settings, certificates: [certificate()], idpInitiated: false, groupsName: 'groups' },
    oidc: { issuer: '', clientId: '', scopes: [], groupsName: 'groups' },
    secret: null,
    provisions: true,
    isComplete: true,
  })
  const domain = { space_id: id, domain: 'example.com', challenge: newId() }
  await db
    .insertInto('sso_domain')
    .values({ ...domain, proof: 'operator' })
    .execute()
  return connection
}

/** Adds a job of the space that is due in an hour and was requested by this account. */
async function addJob(
  { database }: TestInstallation,
  spaceUid: string,
  { id }: { id: string },
): Promise<string> {
  const db = database.kysely
  const space = await db
    .selectFrom('space')
    .select('id')
    .where('uid', '=', spaceUid)
    .executeTakeFirstOrThrow()
  const runAt = new Date(Date.now() + 3_600_000)
  return enqueue(db, waitingJob, {}, { scope: spaceScope(space.id), runAt, requestedBy: id })
}

/** Adds removed fields of the model and of a custom type, with changes that can be undone. */
async function addChanges(
  { database }: TestInstallation,
  modelUid: string,
  customType: string,
): Promise<void> {
  const from = fieldSchema.parse({ _id: newId(), uid: 'gone', name: '前の欄', type: 'TEXT' })
  const type = { _id: customType, uid: 'faq' }
  const types = { before: [{ ...type, fields: [from] }], after: [{ ...type, fields: [] }] }
  await database.kysely
    .insertInto('model_change')
    .columns([
      'space_id',
      'model_id',
      'version',
      'changes',
      'positions',
      'custom_type_id',
      'custom_type_version',
    ])
    .expression((query) =>
      query
        .selectFrom('model')
        .innerJoin('custom_type', 'custom_type.app_id', 'model.app_id')
        .select((select) => [
          'model.space_id',
          'model.id',
          select.val(0).as('version'),
          select.val(JSON.stringify({ changes: [], types })).as('changes'),
          select.val([from._id]).as('positions'),
          'custom_type.id as custom_type_id',
          'custom_type.version as custom_type_version',
        ])
        .where('model.uid', '=', modelUid)
        .where('custom_type.public_id', '=', customType),
    )
    .execute()
  await database.kysely
    .insertInto('model_change')
    .columns(['space_id', 'model_id', 'version', 'changes', 'positions'])
    .expression((query) =>
      query
        .selectFrom('model')
        .select((select) => [
          'space_id',
          'id',
          'version',
          select.val(JSON.stringify({ changes: [{ from, to: null }] })).as('changes'),
          select.val([from._id]).as('positions'),
        ])
        .where('uid', '=', modelUid),
    )
    .execute()
}

/**
 * Adds a custom type to the app, and a library that the app's admins may read: another app with a custom type and a
 * model.
 */
async function addCustomTypes({ database }: TestInstallation, spaceUid: string, appUid: string) {
  const db = database.kysely
  const app = await db
    .selectFrom('app')
    .innerJoin('space', 'space.id', 'app.space_id')
    .select(['app.id', 'app.space_id'])
    .where('space.uid', '=', spaceUid)
    .where('app.uid', '=', appUid)
    .executeTakeFirstOrThrow()
  const space = spaceScope(app.space_id)
  const values = { uid: 'faq', name: 'よくある質問', description: '', fields: [] }
  const { _id } = await insertCustomType(db, appScope(space, app.id), { _id: newId(), ...values })

  const library = await insertApp(db, space, { uid: unique('library'), name: '部品' })
  const scope = appScope(space, library.id)
  await insertCustomType(db, scope, { _id: newId(), ...values, uid: 'hero', name: '見出し' })
  const fields = [
    fieldSchema.parse({ _id: newId(), uid: 'hero', name: '見出し', type: 'CUSTOM', customType: 'hero' }),
  ]
  await insertModel(db, scope, {
    publicId: newId(),
    uid: 'page',
    name: 'ページ',
    description: '',
    fields,
    titleField: null,
  })
  await db
    .insertInto('app_member')
    .columns(['space_id', 'app_id', 'member_id', 'role'])
    .expression((from) =>
      from
        .selectFrom('app_member')
        .select((select) => [
          'space_id',
          select.val(library.id).as('app_id'),
          'member_id',
          select.val('app-Subscriber').as('role'),
        ])
        .where('app_id', '=', app.id)
        .where('role', '=', 'app-Admin'),
    )
    .execute()
  return { customFieldType: _id, library: { app: library.uid, model: 'page', customType: '見出し' } }
}

/**
 * Adds a role of the space and a role of the app with the same uid, a SCIM connection, an invitation into the app, and
 * an access request.
 */
async function addPeopleThings({ database }: TestInstallation, appUid: string, memberId: string) {
  const db = database.kysely
  const app = await db
    .selectFrom('app')
    .select(['id', 'space_id'])
    .where('uid', '=', appUid)
    .executeTakeFirstOrThrow()
  const ids = {
    role: unique('keeper'),
    invitation: newId(),
    accessRequest: memberId,
    scimUser: memberId,
    scimGroup: newId(),
    scimResourceType: 'User',
    scimSchema: 'urn:ietf:params:scim:schemas:core:2.0:User',
  }
  const { space_id, id: app_id } = app
  const role = { space_id, uid: ids.role, name: '係', models: '{}' }
  await db
    .insertInto('role')
    .values([
      { ...role, target: 'project', rights: ['space.view'], app_id: null },
      { ...role, target: 'app', rights: ['document.read'], app_id },
    ])
    .execute()
  // The token of the directory equals the uid of the role.
  const value_hash = sha256(ids.role)
  await db
    .insertInto('scim_connection')
    .values({ space_id, id: newId(), value_hash, last4: 'last', sends_mail: true })
    .execute()
  await db
    .insertInto('scim_group')
    .values({ space_id, id: ids.scimGroup, name: '校閲', name_key: '校閲', external_id: null })
    .execute()
  const inviter = await db
    .selectFrom('space_member')
    .select('id')
    .where('space_id', '=', space_id)
    .where('role', '=', 'pjt-Admin')
    .orderBy('created_at')
    .executeTakeFirstOrThrow()
  const hour = 3_600_000
  await db
    .insertInto('invitation')
    .values({
      space_id,
      id: ids.invitation,
      code_hash: sha256(ids.invitation),
      email: 'invited@example.com',
      email_key: 'invited@example.com',
      role: 'pjt-Member',
      app_id,
      app_role: 'app-Author',
      maximum_uses: 1,
      member_id: inviter.id,
      sent_at: new Date(Date.now() - hour),
      expires_at: new Date(Date.now() + hour),
    })
    .execute()
  const asker = await db.selectFrom('space_member').select('id').where('id', '=', memberId).executeTakeFirst()
  if (asker) await db.insertInto('access_request').values({ space_id, app_id, member_id: memberId }).execute()
  return ids
}

/** Adds a personal view of the model, owned by this account. */
async function addView(
  { database }: TestInstallation,
  spaceUid: string,
  modelUid: string,
  { id: ownerId }: { id: string },
): Promise<string> {
  const db = database.kysely
  const model = await db
    .selectFrom('model')
    .innerJoin('space', 'space.id', 'model.space_id')
    .select(['model.id', 'model.app_id', 'model.space_id'])
    .where('space.uid', '=', spaceUid)
    .where('model.uid', '=', modelUid)
    .executeTakeFirstOrThrow()
  const scope = modelScope(appScope(spaceScope(model.space_id), model.app_id), model.id)
  const view = { uid: newId(), ownerId, name: '自分の', type: 'TABLE', settings: {} } as const
  await insertView(db, scope, view, 1)
  return view.uid
}

/** Adds an asset with a tag and a previous file, owned by this account, and a folder. */
async function addMedia(
  { database, deps }: TestInstallation,
  spaceUid: string,
  { id: account }: { id: string },
  reading: boolean,
): Promise<{ ids: { asset: string; tag: string; folder: string }; confirmation: string; upload: string }> {
  const db = database.kysely
  const { id: space } = await db
    .selectFrom('space')
    .select('id')
    .where('uid', '=', spaceUid)
    .executeTakeFirstOrThrow()
  const ids = { asset: newId(), tag: newId(), folder: newId() }
  const of = { space_id: space, created_by: account }
  const key = `${space}/aa/${ids.asset}`
  const hash = sha256('hello, world')
  const file = {
    mediaType: 'text/plain',
    size: 12,
    width: null,
    height: null,
    placeholder: null,
    metadata: {},
  }
  const asset = {
    ...of,
    id: ids.asset,
    file_name: 'a.txt',
    media_type: 'text/plain',
    size: 12,
    storage_key: key,
    hash,
    metadata: '{}',
    previous: JSON.stringify({ ...file, hash: 'ab'.repeat(32), focalPoint: null }),
    previous_at: new Date(),
    previous_storage: 'local',
    previous_storage_key: key,
  }
  const carried = { space_id: space, asset_id: ids.asset, tag_id: ids.tag }
  await db
    .with('blob', (q) => q.insertInto('asset_blob').values({ space_id: space, storage: 'local', key, hash }))
    .with('new', (q) => q.insertInto('asset').values(asset))
    .with('name', (q) => q.insertInto('tag').values({ ...of, id: ids.tag, name: 'タグ', name_key: 'たぐ' }))
    .with('carried', (q) => q.insertInto('asset_tag').values(carried))
    .insertInto('asset_folder')
    .values({ ...of, id: ids.folder, name: 'すべて', filter: '{}' })
    .execute()
  // Only calls that read the file need its bytes in the storage.
  if (reading)
    await deps.services.storages.local.write(key, bytesOf('hello, world'), { type: 'text/plain', size: 12 })
  const upload = {
    space,
    id: ids.asset,
    type: 'text/plain',
    size: 12,
    fileName: 'a.txt',
    account,
    storage: null,
  }
  const soon = new Date(Date.now() + 3_600_000)
  const put = { space, id: newId(), type: 'text/plain', size: 12 }
  return {
    ids,
    confirmation: signValue(testSecrets.sessionKey, 'upload.confirmation', upload, soon),
    upload: signValue(testSecrets.sessionKey, 'upload.put', put, soon),
  }
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

const waitingJob = defineJob({ name: 'matrix.wait', payload: z.object({}), handler: async () => {} })

/**
 * Adds all memberships in two statements. Returns the id of an additional member, which the calls about members use.
 */
async function addEverybody(
  installation: TestInstallation,
  { accounts }: People,
  spaceUid: string,
  appUid: string,
): Promise<string> {
  const db = installation.database.kysely
  const row = await db
    .selectFrom('app')
    .innerJoin('space', 'space.id', 'app.space_id')
    .select(['app.id', 'app.space_id'])
    .where('space.uid', '=', spaceUid)
    .where('app.uid', '=', appUid)
    .executeTakeFirstOrThrow()
  const target = await createAccount(installation)
  const people = everybody.flatMap((who) =>
    who === 'nobody' || who === 'stranger'
      ? []
      : [{ who: who as Who | 'target', account: accounts[who].id, id: newId() }],
  )
  people.push({ who: 'target', account: target.id, id: newId() })
  await db
    .insertInto('space_member')
    .values(
      people.map(({ who, account, id }) => ({
        space_id: row.space_id,
        id,
        account_id: account,
        role: who === 'pjt-Admin' ? 'pjt-Admin' : 'pjt-Member',
      })),
    )
    .execute()
  await db
    .insertInto('app_member')
    .values(
      people.flatMap(({ who, id }) => {
        const role = who === 'target' ? 'app-Subscriber' : appRoleNames.find((name) => name === who)
        return role ? [{ space_id: row.space_id, app_id: row.id, member_id: id, role }] : []
      }),
    )
    .execute()
  return people.at(-1)?.id ?? ''
}

/** Returns the path of a route with these parameters. `account`: the caller's id. */
export function pathOf(
  route: string,
  { p, a, m, ids, people, upload }: Pick<Fixture, 'p' | 'a' | 'm' | 'ids' | 'people' | 'upload'>,
  account: string,
): string {
  const kind = idKinds[/\/(\w+)\/\{id\}/.exec(route)?.[1] ?? '']
  const query = queries[route]?.(people) ?? ''
  const values: Record<string, string> = {
    p,
    a,
    m,
    d: ids.delivery,
    s: ids.submission,
    f: ids.formFile,
    id: kind ? ids[kind] : account,
    revision: 'latest',
    icon: everyIcon,
    t: route.endsWith('/cover') ? 'blog' : ids.template,
    version: '1',
    session: '0'.repeat(24),
    passkey: '0'.repeat(24),
    identity: '0'.repeat(24),
    fingerprint: '00',
    token: upload,
    formId: everyForm,
  }
  const path = route.slice(route.indexOf(' ') + 1)
  return path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] as string) + query
}

/** Returns the headers that identify the caller of an endpoint, if it is not a browser with a session. */
export const credentialsFor = ({ caller }: Endpoint, { ids }: Fixture): Record<string, string> =>
  caller === 'directory' ? { authorization: `Bearer ${ids.role}` } : {}

/** Required query parameters. */
const queries: Record<string, (people: People) => string> = {
  'GET /api/project/{p}/form/{id}/message:export': () => '?format=csv',
  'GET /api/project/{p}/assets/signedUrl': () => '?fileName=a.txt&fileType=text/plain&fileSize=5',
  'GET /api/project/{p}/usage': () => '?from=2026-01-01&to=2026-01-31',
  'GET /api/embed:getEmbeddedCode': ({ fileUrl }) => `?url=${fileUrl}`,
  'GET /api/project/{p}/app/{a}/model/{m}/doc/{id}/changeAuthors': () => '?since=1&fields=title',
  'GET /api/embed:preview': () => '?src=https://player.example/1',
}

const scimUser = () => ({ userName: `${unique('person')}@example.com`, active: true })
/** The values of a form that an update sends. */
export const formValues = {
  name: '別名',
  enabled: true,
  fields: [],
  origins: [],
  thanksUrl: null,
  thanksMessage: { ja: '', en: '' },
  retentionDays: null,
  notification: noNotification,
  reply: noReply,
}
const textFile = () => formOf({ name: 'a.txt', type: 'text/plain', bytes: 'hello' })

const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')
const pictureFile = () => formOf({ name: 'a.gif', type: 'image/gif', bytes: gif })

/**
 * Calls that cannot succeed here, because they need for example a link from a mail. Permitted callers get this error
 * code instead of a success.
 */
export const refusedForContent: Partial<Record<keyof Endpoints, ErrorCode>> = {
  lookAtSignup: 'LinkIsNotValid',
  finishSignup: 'LinkIsNotValid',
  confirmEmail: 'LinkIsNotValid',
  resetPassword: 'LinkIsNotValid',
  lookAtReset: 'LinkIsNotValid',
  confirmOwnEmail: 'IncorrectPassword',
  changePassword: 'IncorrectPassword',
  endSession: 'NotFound',
  deleteAccount: 'IncorrectPassword',
  finishSignIn: 'SignInHasEnded',
  resetSecondFactor: 'LinkIsNotValid',
  askNewFactor: 'NotFound',
  resetSecondFactorByAdmin: 'IncorrectPassword',
  finishSso: 'SsoHasEnded',
  sendTestMail: 'NotFound',
  testFormMail: 'NoMailServer',
  getAppExportFile: 'NotFound',
  getSpaceExportFile: 'NotFound',
  linkSso: 'SsoHasEnded',
  confirmSsoDomain: 'Forbidden',
  unlinkMember: 'NotFound',
  unlinkOwnIdentity: 'NotFound',
  deleteSsoCertificate: 'NotFound',
  beginTotp: 'IncorrectPassword',
  beginPasskey: 'IncorrectPassword',
  addPasskey: 'SignInHasEnded',
  deletePasskey: 'IncorrectPassword',
  finishByPasskey: 'SignInHasEnded',
  updateInstallationSettings: 'SettingIsFixed',
  confirmTotp: 'IncorrectCode',
  renewRecoveryCodes: 'IncorrectPassword',
  signMoveUpload: 'UploadIsFinished',
  cancelMove: 'MoveIsNotReady',
  retryMove: 'MoveIsNotReady',
  undoMove: 'MoveIsNotReady',
  acceptMove: 'MoveIsNotReady',
  signAppImportUpload: 'UploadIsFinished',
  cancelAppImport: 'MoveIsNotReady',
  retryAppImport: 'MoveIsNotReady',
  // The fixture's move creates an app, so it is not an update.
  getMoveChanges: 'NotFound',
  listChangedDocuments: 'NotFound',
  chooseMoveChanges: 'NotFound',
  disableSecondFactor: 'IncorrectPassword',
}

/** A valid body for every call that requires one. */
export const bodies: {
  [Name in keyof Endpoints]?: (fixture: Fixture, account: TestAccount | null) => unknown
} = {
  signup: () => ({ email: `${unique('matrix')}@example.com`, password: 'a matrix of many newts' }),
  lookAtSignup: () => ({ token: 'none' }),
  finishSignup: () => ({ token: 'none', password: 'a matrix of many newts' }),
  login: ({ people }, account) => ({
    email: (account ?? people.owner).email,
    password: 'ham sandwich on a rainy tuesday',
  }),
  updateSso: () => ({ data: { kind: 'saml', domains: ['example.com'], groupsName: 'groups' } }),
  checkSsoDomain: () => ({ domain: 'example.com' }),
  confirmSsoDomain: () => ({ domain: 'example.com' }),
  addSsoCertificate: () => ({ certificate: certificate() }),
  readSsoMetadata: () => ({ xml: idpMetadata({ certificates: [certificate()] }) }),
  beginSso: ({ p }) => ({ space: p }),
  finishSso: () => ({ code: 'none' }),
  linkSso: () => ({ code: 'none' }),
  answerSaml: () => new URLSearchParams({ SAMLResponse: 'none', RelayState: '' }),
  updateGroupRoles: () => ({
    data: { groups: [{ name: '編集部', roleId: 'pjt-Member' }], defaultRoleId: 'pjt-Member' },
  }),
  createScim: () => ({ data: {} }),
  searchScimUsers: () => ({ filter: 'active eq true', count: 1 }),
  createScimUser: scimUser,
  replaceScimUser: scimUser,
  patchScimUser: () => ({ Operations: [{ op: 'replace', path: 'displayName', value: '別の名前' }] }),
  searchScimGroups: () => ({ filter: 'displayName eq "none"' }),
  createScimGroup: () => ({ displayName: unique('編集部') }),
  replaceScimGroup: ({ ids }) => ({ displayName: '校閲部', members: [{ value: ids.scimUser }] }),
  patchScimGroup: ({ ids }) => ({
    Operations: [{ op: 'add', path: 'members', value: [{ value: ids.scimUser }] }],
  }),
  updateScim: () => ({ data: { sendsMail: false } }),
  updateSecurity: () => ({ data: { sessionHours: 24 } }),
  confirmRanges: () => ({}),
  confirmTokenRanges: () => ({}),
  createMove: () => ({ data: { fileName: 'blog.zip', fileSize: 1000 } }),
  chooseMoveChanges: () => ({ data: {} }),
  updateMovePlan: () => {
    const { app, models, customTypes } = movePlan()
    return { data: { app, models, customTypes } }
  },
  updateMoveApps: () => ({ data: [] }),
  updateAccount: () => ({ data: { name: '別の名前' } }),
  uploadAccountIcon: pictureFile,
  confirmEmail: () => ({ token: 'none' }),
  confirmOwnEmail: () => ({ password: 'none' }),
  changeEmail: () => ({ email: `${unique('matrix')}@example.com`, password: testPassword }),
  changePassword: () => ({ password: 'none', newPassword: 'a matrix of many newts' }),
  forgotPassword: () => ({ email: `${unique('matrix')}@example.com` }),
  lookAtReset: () => ({ token: 'none' }),
  resetPassword: () => ({ token: 'none', password: 'a matrix of many newts' }),
  deleteAccount: () => ({ password: 'none' }),
  resetSecondFactor: () => ({ token: 'none', password: 'none' }),
  resetSecondFactorByAdmin: () => ({ password: 'none' }),
  finishSignIn: () => ({ authenticatingUserId: newId(), code: '000000' }),
  beginPasskey: () => ({ password: 'none' }),
  addPasskey: () => ({ challengeId: newId(), name: '', response: { id: 'none', response: {} } }),
  deletePasskey: () => ({ password: 'none' }),
  beginPasskeySignIn: () => ({}),
  finishByPasskey: () => ({ authenticatingUserId: newId(), response: { id: 'none', response: {} } }),
  beginTotp: () => ({ password: 'none' }),
  confirmTotp: () => ({ code: '000000' }),
  renewRecoveryCodes: () => ({ password: 'none' }),
  disableSecondFactor: () => ({ password: 'none' }),
  updateInstallationSettings: () => ({ data: { signup: 'open' } }),
  createSpace: () => ({ project: { uid: unique('matrix'), name: '新しい場所' } }),
  updateSpace: () => ({ project: { name: '別の場所' } }),
  updateMember: () => ({ roleId: 'pjt-Admin' }),
  addAppMember: ({ people }) => ({ email: people.accounts.outside.email, roleId: 'app-Author' }),
  updateAppMember: () => ({ roleId: 'app-Author' }),
  createRole: () => ({ data: { name: unique('新しい役割'), rights: ['space.view'] } }),
  updateRole: () => ({ data: { name: unique('別の役割') } }),
  createAppRole: () => ({ data: { name: unique('新しい役割'), rights: ['document.read'] } }),
  updateAppRole: () => ({ data: { name: unique('別の役割') } }),
  createInvitation: () => ({ invitation: { email: `${unique('invited')}@example.com` } }),
  lookAtInvitation: ({ people }) => ({ code: people.invitationCode }),
  acceptInvitation: ({ people }) => ({ code: people.invitationCode }),
  askForAccess: ({ a }) => ({ app: a }),
  acceptAccessRequest: () => ({ roleId: 'app-Author' }),
  createApp: () => ({ data: { uid: unique('app'), name: '新しいアプリ' } }),
  updateAppOrder: ({ a, library }) => ({ appIds: [a, library.app] }),
  updateApp: () => ({ data: { name: '別のアプリ' } }),
  uploadAppIcon: pictureFile,
  uploadAppCover: pictureFile,
  planAppImport: pictureFile,
  beginAppImport: () => ({ data: { fileName: 'blog.zip', fileSize: 1000 } }),
  chooseAppImportChanges: () => ({ data: {} }),
  importApp: () => ({ importUrl: 'https://example.com/app.zip' }),
  updateAppAccess: () => ({ accessSettings: { visibility: 'open', defaultRole: 'app-Author' } }),
  startAppExport: () => ({ data: {} }),
  startSpaceExport: () => ({ data: {} }),
  createModel: () => ({ data: { uid: unique('model'), name: '新しいモデル' } }),
  updateModelOrder: ({ m }) => ({ modelIds: [m] }),
  updateModel: () => ({ data: { name: '別のモデル' } }),
  saveTemplate: () => ({ data: { name: '保存したアプリ' } }),
  applyTemplateUpdate: () => ({ version: 1, take: [] }),
  undoTemplateUpdate: () => ({}),
  duplicateApp: () => ({ appName: '複製したアプリ' }),
  duplicateModel: ({ library }) => ({ fromAppId: library.app, fromModelId: library.model }),
  importModel: () => ({ data: { uid: unique('model'), name: '取り込んだモデル' } }),
  takeBackModelChange: () => ({ version: 1 }),
  confirmModelChange: () => ({ version: 1 }),
  takeBackCustomTypeChange: () => ({ version: 1 }),
  confirmCustomTypeChange: () => ({ version: 1 }),
  createCustomType: () => ({ data: { uid: unique('type'), name: unique('新しい型') } }),
  updateCustomType: () => ({ data: { name: unique('別の型') } }),
  copyCustomType: ({ library }) => ({
    fromAppId: library.app,
    fromModelUid: library.model,
    customFieldTypeName: library.customType,
  }),
  createDocument: () => ({ document: { title: '新しい記事' } }),
  updateDocument: () => ({ doc: { title: '別の記事' } }),
  duplicateDocument: () => ({ docTitle: '記事のコピー' }),
  validateDocument: () => ({ doc: { title: '記事' } }),
  validateField: () => ({ value: '記事', field: 'title' }),
  listMissingAssets: ({ ids }) => ({ documentIds: [ids.doc] }),
  bulkPublish: ({ ids }) => ({ documentIds: [ids.doc] }),
  bulkUnpublish: ({ ids }) => ({ documentIds: [ids.doc] }),
  bulkDelete: ({ ids }) => ({ documentIds: [ids.doc] }),
  bulkRestore: ({ ids }) => ({ documentIds: [ids.doc] }),
  updateCustomOrder: ({ ids }) => ({ documentIds: [ids.doc] }),
  createAppView: ({ m }) => ({ data: { modelUid: m, name: '新しいビュー', type: 'TABLE', personal: true } }),
  updateAppView: () => ({ data: { name: '別のビュー' } }),
  updateAppViewOrder: ({ m, ids }) => ({ modelUid: m, personal: true, appViewIds: [ids.appView] }),
  createWebhook: () => ({
    data: { name: 'もう一つ', url: 'https://hooks.example.com/', events: ['document.saved'] },
  }),
  updateWebhook: () => ({ data: { name: '別名' } }),
  previewWebhook: () => ({
    data: {
      body: null,
      event: 'document.saved',
      targets: null,
      includesBefore: false,
      includesAfter: true,
      batchSeconds: 0,
    },
  }),
  redeliverWebhook: () => ({ data: { state: 'failed' } }),
  createForm: () => ({ data: { name: '資料請求' } }),
  updateForm: () => ({ data: { ...formValues, version: 1 } }),
  previewFormMail: () => ({ data: { kind: 'notification', notification: noNotification } }),
  testFormMail: () => ({ data: { kind: 'notification', notification: noNotification } }),
  updateSubmission: () => ({ data: { state: 'done' } }),
  bulkUpdateSubmissions: ({ ids }) => ({ ids: [ids.submission], data: { state: 'done' } }),
  bulkDeleteSubmissions: ({ ids }) => ({ ids: [ids.submission] }),
  bulkRestoreSubmissions: ({ ids }) => ({ ids: [ids.submission] }),
  submitForm: () => ({ お名前: '山田花子' }),
  createCdnToken: () => ({ data: { name: 'もう一つ' } }),
  updateCdnToken: () => ({ data: { name: '別名' } }),
  createApiToken: () => ({ data: { name: 'もう一つ' } }),
  updateApiToken: () => ({ data: { name: '別名' } }),
  uploadAssets: textFile,
  uploadAssetFromUrl: ({ people }) => ({ url: people.fileUrl }),
  receiveUpload: () => new Blob(['hello, world'], { type: 'text/plain' }),
  confirmUpload: ({ confirmation }) => ({ data: { token: confirmation } }),
  updateAsset: () => ({ data: { title: '別の題' } }),
  replaceAsset: textFile,
  editAssetPicture: () => ({ data: { restore: true } }),
  updateAssetTags: ({ ids }) => ({ assetIds: [ids.asset], remove: [ids.tag] }),
  deleteAssets: ({ ids }) => ({ assetIds: [ids.asset] }),
  restoreAssets: ({ ids }) => ({ assetIds: [ids.asset] }),
  createTag: () => ({ data: { name: unique('タグ') } }),
  updateTag: () => ({ data: { name: '別のタグ' } }),
  createAssetFolder: () => ({ data: { name: '写真', filter: { accept: 'image/*' } } }),
  saveExternalStorage: ({ people }) => ({ data: people.bucket }),
  testExternalStorage: ({ people }) => ({ data: people.bucket }),
  updateAssetFolder: () => ({ data: { name: '動画' } }),
  updateImageSettings: () => ({ data: { quality: 70 } }),
}
