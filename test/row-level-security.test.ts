import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { allGrants } from '#server/access/grants.ts'
import { writeAssetUses } from '#server/content/asset-uses.ts'
import { managementList, parseQuery } from '#server/content/query/parse.ts'
import { fromKysely, selectDocuments } from '#server/content/read.ts'
import { loadSpace } from '#server/content/registry.ts'
import {
  appScope,
  type Db,
  enterSpace,
  modelScope,
  type SpaceScope,
  spaceScope,
  type Tx,
} from '#server/db/scope.ts'
import * as requests from '#server/features/access-requests/access-requests.repository.ts'
import * as appExports from '#server/features/app-exports/app-exports.repository.ts'
import * as apps from '#server/features/apps/apps.repository.ts'
import { listAssets } from '#server/features/assets/asset-list.repository.ts'
import * as assets from '#server/features/assets/assets.repository.ts'
import { claimBlob } from '#server/features/assets/blobs.repository.ts'
import * as tags from '#server/features/assets/tags.repository.ts'
import * as orders from '#server/features/documents/bulk/order.repository.ts'
import * as documents from '#server/features/documents/store/documents.repository.ts'
import * as referred from '#server/features/documents/store/referred.repository.ts'
import * as revisions from '#server/features/documents/store/revisions.repository.ts'
import * as externalStorages from '#server/features/external-storage/external-storage.repository.ts'
import * as forms from '#server/features/forms/definition/definition.repository.ts'
import { readExported } from '#server/features/forms/inbox/export.repository.ts'
import * as inbox from '#server/features/forms/inbox/inbox.repository.ts'
import { findAppGroups } from '#server/features/group-roles/app-groups.repository.ts'
import * as groupRoles from '#server/features/group-roles/group-roles.repository.ts'
import * as invitations from '#server/features/invitations/invitations.repository.ts'
import * as appMembers from '#server/features/members/app-members.repository.ts'
import * as members from '#server/features/members/members.repository.ts'
import * as customTypes from '#server/features/models/custom-types.repository.ts'
import * as models from '#server/features/models/models.repository.ts'
import * as bases from '#server/features/moves/store/bases.repository.ts'
import * as moveChanges from '#server/features/moves/store/changed-documents.repository.ts'
import * as moves from '#server/features/moves/store/moves.repository.ts'
import * as carries from '#server/features/portable-apps/portable-apps.repository.ts'
import * as roles from '#server/features/roles/roles.repository.ts'
import * as spaces from '#server/features/spaces/spaces.repository.ts'
import * as sso from '#server/features/sso/sso.repository.ts'
import * as origins from '#server/features/templates/template-updates.repository.ts'
import * as templates from '#server/features/templates/templates.repository.ts'
import * as tokens from '#server/features/tokens/tokens.repository.ts'
import * as views from '#server/features/views/views.repository.ts'
import { recordEvent } from '#server/jobs/events.ts'
import { newId, sha256 } from '#server/lib/ids.ts'
import { noNotification, noReply } from '#shared/forms/mail.ts'
import { createAccount } from './factories.ts'
import { insertForm } from './forms.ts'
import { type Fixture, invitePeople, makeFixture } from './matrix-fixture.ts'
import { ok, startInstallation, type TestInstallation } from './server.ts'

/**
 * Tests row-level security, the second defence after the scope types: a query with the scope of another space must
 * reach nothing.
 */
let installation: TestInstallation
let fixture: Fixture
let mine: SpaceScope
let theirs: SpaceScope
const storageId = newId()
const icon = { kind: 'icon' as const, id: newId(), media_type: 'image/png', bytes: sha256('icon') }
beforeAll(async () => {
  installation = await startInstallation()
  const people = await invitePeople(installation)
  fixture = await makeFixture(installation, people)
  const other = await makeFixture(installation, people)
  const model = `/api/project/${fixture.p}/app/${fixture.a}/model`
  ok(
    await people.owner.client.post(model, {
      data: {
        uid: 'everything',
        name: 'すべて',
        fields: [
          { uid: 'title', name: '題', type: 'TEXT', unique: true },
          { uid: 'to', name: '先', type: 'REFERENCE', modelUid: fixture.m },
        ],
      },
    }),
  )
  const document = { title: '唯一の題', to: fixture.ids.doc }
  const headers = { 'idempotency-key': 'for-a-row' }
  ok(await people.owner.client.post(`${model}/everything/doc`, { document, type: 'PUBLISH' }, headers))
  ok(await people.owner.client.post(`/api/project/${fixture.p}/app/${fixture.a}/members/leave`))
  mine = await scopeOf(other.p)
  theirs = await scopeOf(fixture.p)
  const found = { title: 'searched' }
  ok(
    await people.owner.client.patch(`/api/project/${fixture.p}/assets/${fixture.ids.asset}`, { data: found }),
  )
  const kysely = installation.database.kysely
  const published = await kysely
    .selectFrom('document')
    .select(['model_id', 'id'])
    .where('published_at', 'is not', null)
    .executeTakeFirstOrThrow()
  const shown = await kysely
    .selectFrom('app')
    .select(['space_id', 'id as app_id'])
    .where('uid', '=', fixture.a)
    .executeTakeFirstOrThrow()
  await kysely
    .insertInto('app_picture')
    .values({ ...shown, ...icon })
    .execute()
  await kysely
    .insertInto('asset_reference')
    .values({
      space_id: theirs.spaceId,
      model_id: published.model_id,
      document_id: published.id,
      asset_id: newId(),
    })
    .execute()
  await kysely
    .insertInto('document_before')
    .columns(['space_id', 'model_id', 'version', 'document_id', 'document_version'])
    .expression((query) =>
      query
        .selectFrom('model_change')
        .select((select) => [
          'space_id',
          'model_id',
          'version',
          select.val(fixture.ids.doc).as('document_id'),
          select.val(1).as('document_version'),
        ])
        .where('space_id', '=', theirs.spaceId),
    )
    .execute()
  const { spaceId: space_id } = theirs
  const open = { space_id, id: newId(), account_id: null, size: 1, expires_at: new Date() }
  await kysely.insertInto('open_upload').values(open).execute()
  const former = { domain: 'example.org', challenge: 'x', proof: 'dns' }
  await kysely
    .insertInto('former_sso_domain')
    .values({ space_id, ...former })
    .execute()
  await kysely.insertInto('removed_member').values({ space_id, who: newId() }).execute()
  await addSubmission(space_id)
  const taking = { space_id, invitation_id: fixture.ids.invitation, who: newId() }
  await kysely.insertInto('invitation_taking').values(taking).execute()
  const moving = { space_id, carry_id: fixture.ids.move }
  await kysely
    .insertInto('carry_model')
    .values({ ...moving, model: 'article', model_id: published.model_id, total: 1 })
    .execute()
  await kysely
    .insertInto('carry_asset')
    .values({ ...moving, asset_id: fixture.ids.asset, made: true, problem: null })
    .execute()
  const moved = {
    space_id,
    move_id: fixture.ids.move,
    model_id: published.model_id,
    document_id: published.id,
  }
  await kysely
    .insertInto('moved_document')
    .values({ ...moved, version: 1, updated_at: new Date(), published_at: null, custom_order: null })
    .execute()
  await kysely
    .insertInto('move_change')
    .values({ ...moved, kind: 'both', takes: false, version: 1, title: '題', outcome: null, problem: null })
    .execute()
  const file = {
    space_id: moved.space_id,
    move_id: moved.move_id,
    asset_id: fixture.ids.asset,
    version: 1,
  }
  await kysely
    .insertInto('moved_asset')
    .values({ ...file, hash: Buffer.alloc(32), archived_at: new Date() })
    .execute()
  await kysely
    .insertInto('move_file')
    .values({ ...file, kind: 'both', takes: false, file_name: 'a.png', outcome: null, problem: null })
    .execute()
  await kysely
    .insertInto('app_export')
    .values({
      ...shown,
      id: fixture.ids.move,
      options: '{}',
      job_id: null,
      file_name: 'a.zip',
      file_size: null,
      created_by: null,
    })
    .execute()
  await kysely
    .insertInto('asset_former_uid')
    .values({ space_id, uid: 'former', asset_id: fixture.ids.asset })
    .execute()
  await kysely
    .insertInto('app_origin')
    .values({
      ...shown,
      template: 'blog',
      version: null,
      language: 'ja',
      carry_id: fixture.ids.move,
      parts: '{}',
      undo: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await kysely
    .insertInto('site_request')
    .values({ space_id, model_id: published.model_id, kind: 'cdn', site: 'https://example.com', agent: '' })
    .execute()
  await kysely.insertInto('usage_day').values({ space_id, day: '2026-01-31' }).execute()
  await kysely
    .insertInto('usage_stock')
    .values({ space_id })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  for (const { spaceId: space_id } of [mine, theirs]) {
    await kysely.insertInto('space_security').values({ space_id }).execute()
    const { id: connection_id } = await kysely
      .selectFrom('sso_connection')
      .select('id')
      .where('space_id', '=', space_id)
      .executeTakeFirstOrThrow()
    const identity = { connection_id, space_id, issuer: 'https://idp.example.com', subject: 'u-1' }
    await kysely
      .insertInto('sso_identity')
      .values({ ...identity, account_id: people.owner.id, made_account: false })
      .execute()
    const scimId = newId()
    await kysely
      .insertInto('scim_user')
      .values({
        space_id,
        id: scimId,
        member_id: scimId,
        user_name: 'x',
        user_name_key: 'x',
        attributes: '{}',
      })
      .execute()
    await kysely.insertInto('scim_group').values({ space_id, id: scimId, name: 'x', name_key: 'x' }).execute()
    await kysely
      .insertInto('scim_group_member')
      .values({ space_id, group_id: scimId, user_id: scimId })
      .execute()
    await kysely.insertInto('group_role_setting').values({ space_id, default_role: 'pjt-Member' }).execute()
    await kysely
      .insertInto('group_role')
      .values({ space_id, position: 0, name: '編集部', role: 'pjt-Member' })
      .execute()
    const { id: app_id } = await kysely
      .selectFrom('app')
      .select('id')
      .where('space_id', '=', space_id)
      .limit(1)
      .executeTakeFirstOrThrow()
    await kysely
      .insertInto('group_app_role')
      .values({ space_id, app_id, position: 0, name: '編集部', role: 'app-Editor' })
      .execute()
    const seal = { space_id, number: 1, from_xact: 0, to_xact: 1, entries: 0, total: 0, hash: sha256('seal') }
    await kysely.insertInto('audit_seal').values(seal).execute()
    await withoutTriggers(kysely, (tx) =>
      tx.insertInto('audit_cut').values({ space_id, number: 1, entries: 0, days: 30 }).execute(),
    )
    await installation.database.kysely
      .insertInto('image_settings')
      .values({ space_id, settings: '{}' })
      .execute()
    const where = {
      endpoint: 'https://s3.test',
      region: 'x',
      bucket: 'b',
      prefix: '',
      style: 'path',
    } as const
    await installation.database.kysely
      .insertInto('external_storage')
      .values({
        space_id,
        id: space_id === theirs.spaceId ? storageId : newId(),
        ...where,
        key_last4: 'last',
        credentials: 'sealed',
      })
      .execute()
  }
})
afterAll(() => installation?.close())

async function scopeOf(uid: string): Promise<SpaceScope> {
  const row = await installation.database.kysely
    .selectFrom('space')
    .select('id')
    .where('uid', '=', uid)
    .executeTakeFirstOrThrow()
  return spaceScope(row.id)
}

const page = { skip: 0, limit: 100, byAddress: true }
const ofSpace = { target: 'project', appId: null } as const
const everything = { name: '何でも', description: '', rights: ['space.delete'], models: {} }
const firstPage = { order: '-createdAt', limit: 10, offset: 0 } as const

class RolledBack extends Error {}

/** Runs `work` as a member inside the space of `scope`, and rolls it back. */
async function inside<T>(scope: SpaceScope, work: (tx: Tx) => Promise<T>): Promise<T> {
  let result: T | undefined
  const transaction = installation.database.kysely.transaction().execute(async (tx) => {
    await enterSpace(tx, scope)
    result = await work(tx)
    throw new RolledBack()
  })
  await transaction.catch((error: unknown) => {
    if (!(error instanceof RolledBack)) throw error
  })
  return result as T
}

/** Runs `work` without the triggers of `audit_cut`. */
const withoutTriggers = (db: Db, work: (tx: Tx) => Promise<unknown>) =>
  db.transaction().execute(async (tx) => {
    await sql`ALTER TABLE audit_cut DISABLE TRIGGER USER`.execute(tx)
    await work(tx)
    await sql`ALTER TABLE audit_cut ENABLE TRIGGER USER`.execute(tx)
  })

const theirApp = async () => {
  const row = await installation.database.kysely
    .selectFrom('model')
    .select(['id', 'app_id'])
    .where('space_id', '=', theirs.spaceId)
    .where('uid', '=', 'everything')
    .executeTakeFirstOrThrow()
  const app = appScope(theirs, row.app_id)
  const doc = await installation.database.kysely
    .selectFrom('document')
    .select('id')
    .where('model_id', '=', row.id)
    .executeTakeFirstOrThrow()
  return { app, model: modelScope(app, row.id), doc }
}

/** Returns the names of all tables with data of spaces from the database's catalogue, without partitions. */
async function tenantTables(): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE a.attname = 'space_id' AND c.relkind IN ('r', 'p') AND NOT c.relispartition
      AND c.relnamespace = 'public'::regnamespace ORDER BY 1`.execute(installation.database.kysely)
  return rows.map((row) => row.name)
}

describe('the tested repository functions in a transaction of another space', () => {
  it('find no rows of the space of their scope', async () => {
    const { app, model, doc } = await theirApp()
    const space = await loadSpace(installation.database.pool, theirs.spaceId)
    const content = space?.apps.get(fixture.a)?.models.get('everything')
    if (!content) throw new Error('no model to list')
    const listed = async (tx: Tx, query: string) => {
      const options = { model: content, stage: 'current', managed: true } as const
      const list = { ...options, query: parseQuery(query, content, managementList) }
      return (await selectDocuments(fromKysely(tx), list)).rows
    }
    const reads: Record<string, (tx: Tx) => Promise<unknown>> = {
      members: async (tx) => (await members.listMembers(tx, theirs, page)).members,
      roles: async (tx) => (await roles.listRoles(tx, theirs, ofSpace)).filter((role) => !role.builtIn),
      appRoles: async (tx) =>
        (await roles.listRoles(tx, theirs, { target: 'app', appId: app.appId })).filter(
          (role) => !role.builtIn,
        ),
      roleUses: async (tx) => [...(await roles.countUses(tx, theirs, ofSpace)).keys()],
      invitations: (tx) => invitations.listInvitations(tx, theirs, { appId: null, limit: 10 }),
      accessRequests: (tx) => requests.listRequests(tx, app, 10),
      member: async (tx) => (await members.findMember(tx, theirs, fixture.ids.member)) ?? [],
      appMembers: async (tx) => (await appMembers.listAppMembers(tx, app, page)).members,
      leftMembers: async (tx) => (await appMembers.listLeftMembers(tx, app, page)).members,
      apps: (tx) =>
        apps.listApps(tx, theirs, {
          memberId: newId(),
          projectRole: null,
          appRole: null,
          seesEveryApp: true,
          rights: new Set(),
          elsewhere: new Set(),
          models: new Map(),
          readOnly: new Set(),
        }),
      models: (tx) => models.listModels(tx, app),
      model: async (tx) => (await models.findModel(tx, app, 'everything')) ?? [],
      customTypes: (tx) => customTypes.listCustomTypes(tx, app),
      counts: async (tx) => [...(await models.listCounts(tx, app, [model.modelId])).keys()],
      document: async (tx) => (await documents.findDocument(tx, model, doc.id)) ?? [],
      referred: async (tx) => [...(await referred.lockReferred(tx, theirs, model.modelId, [doc.id]))],
      revision: async (tx) => (await revisions.findRevision(tx, model, doc.id, 1)) ?? [],
      listed: (tx) => listed(tx, ''),
      searched: (tx) => listed(tx, `search=${encodeURIComponent('唯')}`),
      live: async (tx) => [...(await documents.findLive(tx, model, [doc.id]))],
      cdnTokens: (tx) => tokens.listTokens(tx, theirs, 'cdn'),
      apiTokens: (tx) => tokens.listTokens(tx, theirs, 'api'),
      forms: (tx) => forms.listForms(tx, theirs, { trash: false, readsSubmissions: true }),
      form: async (tx) => (await forms.lockForm(tx, theirs, fixture.ids.form)) ?? [],
      submissions: (tx) =>
        inbox.listSubmissions(tx, theirs, fixture.ids.form, { states: ['new'] }, { limit: 10 }),
      submission: async (tx) =>
        (await inbox.findSubmission(tx, theirs, fixture.ids.form, fixture.ids.submission)) ?? [],
      submissionCounts: async (tx) =>
        [...(await inbox.countSubmissions(tx, theirs, fixture.ids.form, ['new'])).values()].filter(Boolean),
      exportedSubmissions: (tx) => {
        const before = { receivedAt: new Date(Date.now() + 60_000), id: fixture.ids.form }
        return readExported(tx, theirs, { formId: fixture.ids.form, states: ['new'], before })
      },
      formFile: async (tx) => {
        const { form: formId, submission: submissionId, formFile: fileId } = fixture.ids
        return (await inbox.findFormFile(tx, theirs, { formId, submissionId, fileId })) ?? []
      },
      sso: async (tx) => (await sso.findConnection(tx, theirs)) ?? [],
      groupRoles: async (tx) => (await groupRoles.findGroupRoles(tx, theirs)).groups,
      appGroups: (tx) => findAppGroups(tx, theirs),
      externalStorage: async (tx) => (await externalStorages.findPresent(tx, theirs)) ?? [],
      assets: async (tx) => (await listAssets(tx, theirs, {}, firstPage)).assets,
      foundAssets: async (tx) => (await listAssets(tx, theirs, { search: 'searched' }, firstPage)).assets,
      asset: async (tx) => (await assets.findAsset(tx, theirs, fixture.ids.asset)) ?? [],
      tags: (tx) => tags.listTags(tx, theirs),
      moves: (tx) => moves.listMoves(tx, theirs, { account: null, apps: null }),
      movePlan: async (tx) => (await moves.findMovePlan(tx, theirs, fixture.ids.move)) ?? [],
      movedDocuments: async (tx) => [...(await bases.findBases(tx, theirs, model.modelId)).keys()],
      changedDocuments: async (tx) =>
        (await moveChanges.listChanges(tx, theirs, fixture.ids.move, page)).rows,
      appExport: async (tx) => (await appExports.findLatest(tx, app, app.appId)) ?? [],
      carryModels: (tx) => carries.listCarryModels(tx, theirs, fixture.ids.move),
      carryAssets: (tx) => carries.listCarryAssets(tx, theirs, fixture.ids.move),
      templates: (tx) =>
        templates.listNewest(tx, theirs, { grants: allGrants, managesEveryApp: true, accountId: null }),
      origin: async (tx) => (await origins.findOrigin(tx, app)) ?? [],
    }
    for (const [name, read] of Object.entries(reads)) {
      expect([name, await inside(mine, read)]).toEqual([name, []])
      // Inside `theirs`, the same function finds rows, which shows that the test is effective.
      expect([name, await inside(theirs, read)]).not.toEqual([name, []])
    }
  })

  it('change no rows of the space of their scope', async () => {
    const { app, model, doc } = await theirApp()
    const [customType] = await customTypes.listCustomTypes(installation.database.kysely, app)
    if (!customType) throw new Error('no custom type to change')
    const writes: Record<string, (tx: Tx) => Promise<unknown>> = {
      renameSpace: (tx) => spaces.updateSpace(tx, theirs, { name: 'mine now' }),
      deleteSpace: (tx) => spaces.deleteSpace(tx, theirs),
      demote: (tx) => members.updateMemberRole(tx, theirs, fixture.ids.member, 'pjt-Admin'),
      remove: (tx) => members.deleteMember(tx, theirs, fixture.ids.member),
      promoteInApp: (tx) => appMembers.updateAppMemberRole(tx, app, fixture.ids.member, 'app-Admin'),
      leave: (tx) => appMembers.deleteAppMember(tx, app, fixture.ids.member, { bySelf: true }),
      addRole: (tx) => roles.insertRole(tx, theirs, ofSpace, { ...everything, uid: 'planted' }),
      changeRole: (tx) => roles.updateRole(tx, theirs, ofSpace, { ...everything, uid: fixture.ids.role }),
      deleteRole: (tx) => roles.deleteRole(tx, theirs, ofSpace, fixture.ids.role),
      takeInvitation: (tx) => invitations.takeUse(tx, theirs, fixture.ids.invitation),
      revokeInvitation: (tx) =>
        invitations.revokeInvitation(tx, theirs, { id: fixture.ids.invitation, appId: null }),
      addInvitation: (tx) =>
        invitations.insertInvitation(tx, theirs, {
          codeHash: sha256('planted'),
          address: null,
          role: 'pjt-Admin',
          app: null,
          useSSO: false,
          maximumUses: null,
          memberId: fixture.ids.member,
          days: 7,
        }),
      declineRequest: (tx) => requests.declineRequest(tx, app, fixture.ids.accessRequest),
      renameApp: (tx) => apps.updateApp(tx, app, { name: 'mine now' }, null),
      openApp: (tx) => apps.updateAppAccess(tx, app, { visibility: 'open', defaultRole: 'app-Admin' }, null),
      deleteApp: (tx) => apps.deleteApp(tx, app),
      putIcon: (tx) => apps.putPicture(tx, app, { ...icon, id: newId() }),
      addCover: (tx) => apps.putPicture(tx, app, { ...icon, kind: 'cover', id: newId() }),
      deleteIcon: (tx) => apps.deletePicture(tx, app, 'icon'),
      order: (tx) => apps.updateAppOrder(tx, theirs, [-1, app.appId]),
      deleteModel: (tx) => models.deleteModel(tx, model),
      renameCustomType: (tx) =>
        customTypes.updateCustomType(tx, app, customType.id, { ...customType, name: 'x' }),
      deleteCustomType: (tx) => customTypes.deleteCustomType(tx, app, customType.id),
      addCustomType: (tx) =>
        customTypes.insertCustomType(tx, app, {
          ...customType,
          _id: newId(),
          uid: 'planted',
          name: 'planted',
        }),
      reorder: (tx) => orders.updateCustomOrder(tx, model, [doc.id]),
      renameToken: (tx) => tokens.updateToken(tx, theirs, 'cdn', fixture.ids.cdnToken, { name: 'mine now' }),
      renameForm: (tx) =>
        forms.updateForm(tx, theirs, fixture.ids.form, {
          name: 'mine now',
          enabled: true,
          fields: [],
          origins: [],
          thanksUrl: null,
          thanksMessage: { ja: '', en: '' },
          retentionDays: null,
          notification: noNotification,
          reply: noReply,
        }),
      trashForm: (tx) => forms.setFormTrashed(tx, theirs, fixture.ids.form, true),
      changeSubmission: (tx) => inbox.updateState(tx, theirs, [fixture.ids.submission], 'spam'),
      trashSubmission: (tx) => inbox.setTrashed(tx, theirs, [fixture.ids.submission], true),
      leaveStorage: (tx) => externalStorages.leaveExternalStorage(tx, theirs, storageId),
      changeStorage: (tx) =>
        externalStorages.updateExternalStorage(tx, theirs, storageId, {
          region: 'y',
          style: 'host',
          keyLast4: 'mine',
          credentials: 'mine',
        }),
      trashAsset: (tx) => assets.setTrashed(tx, theirs, [fixture.ids.asset], true),
      startMove: (tx) => moves.updateMove(tx, theirs, fixture.ids.move, { state: 'importing' }),
      forgetMoved: (tx) => bases.deleteBases(tx, theirs, fixture.ids.move),
      chooseChanges: (tx) => moveChanges.choose(tx, theirs, fixture.ids.move, { kind: 'both' }, true),
      forgetChanges: (tx) => moveChanges.deleteChanges(tx, theirs, fixture.ids.move),
      forgetCarry: (tx) => carries.deleteProgress(tx, theirs, fixture.ids.move),
      deleteMove: (tx) => moves.deleteMove(tx, theirs, fixture.ids.move),
      deleteTemplate: (tx) => templates.deleteTemplates(tx, theirs, fixture.ids.template),
      followTemplate: (tx) => origins.updateOrigin(tx, app, { version: 2, parts: {} as never, undo: null }),
      untag: (tx) => tags.setTags(tx, theirs, fixture.ids.asset, []),
      renameTag: (tx) => tags.updateTag(tx, theirs, fixture.ids.tag, { name: 'mine now', key: 'mine now' }),
      deleteTag: (tx) => tags.deleteTag(tx, theirs, fixture.ids.tag),
      claimBlob: (tx) => claimBlob(tx, theirs, 'local', sha256('planted')),
      useAsset: (tx) =>
        writeAssetUses(tx, model, [{ id: doc.id, isNew: false, assetIds: [fixture.ids.asset] }]),
      renameView: (tx) =>
        views.updateView(tx, app, fixture.ids.appView, 1, {
          name: 'mine now',
          type: 'LIST',
          settings: {},
        }),
      deleteView: (tx) => views.deleteView(tx, app, fixture.ids.appView),
      deleteToken: (tx) => tokens.deleteToken(tx, theirs, 'api', fixture.ids.apiToken),
      addMember: (tx) => members.insertMember(tx, theirs, fixture.people.accounts.stranger.id, 'pjt-Admin'),
      addApp: (tx) => apps.insertApp(tx, theirs, { uid: 'planted', name: 'planted' }),
      addToken: (tx) =>
        tokens.insertToken(tx, theirs, {
          id: newId(),
          kind: 'api',
          name: 'planted',
          valueHash: sha256('planted'),
          last4: 'nted',
          appIds: null,
          writes: false,
          expiresAt: null,
          createdBy: newId(),
        }),
      addEvent: (tx) =>
        recordEvent(
          tx,
          theirs,
          'space.updated',
          { uid: 'x' },
          { actor: { kind: 'job', id: newId(), name: 'planted' } },
        ),
    }
    const before = await snapshot()
    expect(await inside(theirs, snapshot)).toEqual(before)
    for (const [name, write] of Object.entries(writes)) {
      // The write is committed, so that any change would be visible.
      await installation.database.kysely
        .transaction()
        .execute(async (tx) => {
          await enterSpace(tx, mine)
          await write(tx)
        })
        .catch(() => {})
      expect([name, await snapshot()]).toEqual([name, before])
      // Inside `theirs`, the same function changes rows, which shows that the test is effective.
      const changed = await inside(theirs, async (tx) => {
        await write(tx)
        return snapshot(tx)
      })
      expect([name, changed]).not.toEqual([name, before])
    }
  })

  /** Returns every row of the other space, by default as seen by the owner of the tables. */
  async function snapshot(db: Db = installation.database.kysely): Promise<unknown> {
    const rows: Record<string, unknown> = {}
    for (const table of await tenantTables())
      rows[table] = (
        await sql`SELECT to_jsonb(t) FROM ${sql.table(table)} t WHERE space_id = ${theirs.spaceId} ORDER BY 1`.execute(
          db,
        )
      ).rows
    rows.space = (await sql`SELECT * FROM space WHERE id = ${theirs.spaceId}`.execute(db)).rows
    return rows
  }
})

/** Adds a form with a submission and its file. */
async function addSubmission(space_id: number): Promise<void> {
  const { kysely } = installation.database
  const { id: form_id } = await insertForm(kysely, space_id)
  const id = newId()
  await kysely
    .insertInto('form_submission')
    .values({
      space_id,
      id,
      form_id,
      values: '[]',
      email: null,
      page: null,
      language: 'ja',
      deleted_at: null,
    })
    .execute()
  const stored = {
    media_type: 'text/plain',
    size: 1,
    hash: Buffer.alloc(32),
    storage: 'local',
    storage_key: 'x',
  }
  await kysely
    .insertInto('form_file')
    .values({ space_id, id: newId(), form_id, submission_id: id, field: 'a', file_name: 'a.txt', ...stored })
    .execute()
}

describe('every table with a space_id', () => {
  it('shows no rows of other spaces', async () => {
    const tables = await tenantTables()
    expect(tables).toEqual(
      expect.arrayContaining([
        'app',
        'document',
        'idempotency',
        'model',
        'revision',
        'space_member',
        'token',
      ]),
    )
    for (const table of tables) {
      // Shared rows, such as built-in roles, belong to no space.
      const count = (tx: Tx) =>
        sql<{
          n: number
        }>`SELECT count(*)::int AS n FROM ${sql.table(table)} WHERE space_id IS NOT NULL`.execute(tx)
      const foreign = (tx: Tx) =>
        sql<{
          n: number
        }>`SELECT count(*)::int AS n FROM ${sql.table(table)} WHERE space_id = ${theirs.spaceId}`.execute(tx)
      expect([table, (await inside(mine, foreign)).rows[0]?.n]).toEqual([table, 0])
      expect([table, (await inside(theirs, foreign)).rows[0]?.n]).not.toEqual([table, 0])
      const [all, own] = [await inside(theirs, count), await inside(theirs, foreign)]
      expect([table, all.rows[0]?.n]).toEqual([table, own.rows[0]?.n])
    }
  })

  it('cannot be read as `imori_member` or `imori_worker` before a space is entered', async () => {
    // Jobs also enqueue jobs of the installation, and write to its log.
    const shared = ['job', 'audit_entry']
    for (const role of ['imori_member', 'imori_worker'])
      for (const table of await tenantTables())
        if (role === 'imori_member' || !shared.includes(table))
          await expect(
            installation.database.kysely.transaction().execute(async (tx) => {
              await sql`SELECT set_config('role', ${role}, true)`.execute(tx)
              await sql`SELECT 1 FROM ${sql.table(table)}`.execute(tx)
            }),
            `${role} ${table}`,
          ).rejects.toThrow(/imori\.space_id|permission denied|invalid input syntax/)
  })

  it('have a policy for `imori_worker` wherever `imori_member` has one', async () => {
    const tablesOf = async (role: string) =>
      (
        await sql<{ name: string }>`SELECT DISTINCT tablename AS name FROM pg_policies
          WHERE ${role} = ANY (roles::text[]) ORDER BY name`.execute(installation.database.kysely)
      ).rows.map(({ name }) => name)
    expect(await tablesOf('imori_worker')).toEqual(await tablesOf('imori_member'))
  })

  it('rejects a move of its rows into another space (tested for seven tables)', async () => {
    for (const table of ['app', 'space_member', 'model', 'token', 'document', 'asset', 'tag']) {
      const move = (tx: Tx) => sql`UPDATE ${sql.table(table)} SET space_id = ${theirs.spaceId}`.execute(tx)
      await expect(inside(mine, move), table).rejects.toThrow(/row-level security|foreign key/)
    }
  })

  it('cannot be read through its partitions, if it has any', async () => {
    const { rows } = await sql<{
      name: string
    }>`SELECT relname AS name FROM pg_class WHERE relispartition AND relkind = 'r'`.execute(
      installation.database.kysely,
    )
    expect(rows.length).toBeGreaterThan(50)
    for (const { name } of rows)
      await expect(
        inside(mine, (tx) => sql`SELECT 1 FROM ${sql.table(name)}`.execute(tx)),
        name,
      ).rejects.toThrow(/permission denied/)
  })
})

describe('the database role of members', () => {
  it('cannot read password hashes and sessions, nor delete revisions, events and audit entries', async () => {
    await createAccount(installation)
    for (const query of [
      sql`SELECT password_hash FROM account`,
      sql`SELECT * FROM account`,
      sql`SELECT 1 FROM session`,
      sql`SELECT 1 FROM account_icon`,
      sql`SELECT 1 FROM attempt`,
      sql`SELECT 1 FROM migration`,
      sql`UPDATE account SET is_admin = true`,
      sql`INSERT INTO space (uid, name) VALUES ('x', 'x')`,
      sql`DELETE FROM revision`,
      sql`UPDATE revision SET version = 9`,
      sql`DELETE FROM event`,
      sql`DELETE FROM space`,
      sql`DELETE FROM audit_entry`,
      sql`UPDATE audit_entry SET act = 'x.y'`,
      sql`INSERT INTO audit_seal DEFAULT VALUES`,
      sql`SELECT 1 FROM audit_sealed`,
    ])
      await expect(inside(mine, (tx) => query.execute(tx))).rejects.toThrow(/permission denied/)
  })
})
