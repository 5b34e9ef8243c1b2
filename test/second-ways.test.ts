import { readdir, readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { spaceScope } from '#server/db/scope.ts'
import { jobs } from '#server/features/index.ts'
import { hasEffects } from '#server/http/call.ts'
import { enqueue } from '#server/jobs/enqueue.ts'
import { newId } from '#server/lib/ids.ts'
import { type Endpoint, readsCookies } from '#shared/contract/endpoint.ts'
import { type Endpoints, endpoints } from '#shared/contract/index.ts'
import { allRights, impliedByAnyApp, isAppRight, presupposed, type Right } from '#shared/permissions.ts'
import { createMember, type TestAccount, unique } from './factories.ts'
import { callEmpty, everyEndpoint, methodOf } from './matrix-calls.ts'
import {
  bodies,
  type Fixture,
  formValues,
  invitePeople,
  makeFixture,
  type People,
  pathOf,
} from './matrix-fixture.ts'
import { type Answer, ok, startInstallation, type TestInstallation } from './server.ts'

/*
 * An action that can be reached in more than one way must require the same right in each way. Examples are one by one
 * and in bulk, in a space and in one of its apps, through its feature and through its job, manually and by an import.
 * Add each new way of an action to `acts`.
 */

let installation: TestInstallation
let people: People
let fixture: Fixture
beforeAll(async () => {
  installation = await startInstallation()
  people = await invitePeople(installation)
  fixture = await makeFixture(installation, people, { reading: true, members: false })
})
afterAll(() => installation?.close())

/** One caller in one fixture. */
interface World {
  fixture: Fixture
  caller: TestAccount
  /** Calls an endpoint about the objects of the fixture. `body`: by default the endpoint's body in `bodies`. */
  call(name: keyof Endpoints, body?: unknown): Promise<Answer>
  /** Adds a waiting job that the owner of the space has requested, and sends a request that cancels or retries it. */
  job(act: 'cancel' | 'retry', name: string, payload: () => Promise<object> | object): Promise<Answer>
  /** Returns internal ids for payloads. */
  space(): Promise<{ id: number; appId: number; modelId: number }>
}

type Way = (world: World) => Promise<Answer>

function worldOf(fixture: Fixture, caller: TestAccount): World {
  const { pool, kysely } = installation.database
  const space = async () => {
    const text = `SELECT space.id, app.id AS "appId", model.id AS "modelId" FROM space
      JOIN app ON app.space_id = space.id AND app.uid = $2 JOIN model ON model.app_id = app.id AND model.uid = $3
      WHERE space.uid = $1`
    return (await pool.query(text, [fixture.p, fixture.a, fixture.m])).rows[0]
  }
  return {
    fixture,
    caller,
    space,
    call(name, body) {
      const endpoint: Endpoint = endpoints[name]
      const path = pathOf(endpoint.route, fixture, caller.id)
      return caller.client.send(methodOf(endpoint), path, body ?? bodies[name]?.(fixture, caller))
    },
    async job(act, name, payload) {
      const definition = jobs.find((one) => one.name === name)
      if (!definition) throw new Error(`no job is called ${name}`)
      const scope = spaceScope((await space()).id)
      const requestedBy = fixture.people.owner.id
      const id = await enqueue(kysely, definition, await payload(), { scope, requestedBy })
      return caller.client.post(`/api/project/${fixture.p}/job/${id}/${act}`)
    },
  }
}

const by =
  (name: keyof Endpoints, body?: (world: World) => unknown): Way =>
  (world) =>
    world.call(name, body?.(world))

/** Returns the ways to cancel and to retry the job of an action. */
const jobWays = (name: string, payload: (world: World) => Promise<object> | object): Record<string, Way> => ({
  [`cancel ${name}`]: (world) => world.job('cancel', name, () => payload(world)),
  [`retry ${name}`]: (world) => world.job('retry', name, () => payload(world)),
})

const named = (...names: (keyof Endpoints)[]): Record<string, Way> =>
  Object.fromEntries(names.map((name) => [name, by(name)]))

async function ownDraft({ call }: World): Promise<string> {
  return ok(await call('createDocument')).document._id
}

const anExport = async ({ space }: World) => {
  const { id: spaceId, appId } = await space()
  const id = newId()
  const options = JSON.stringify({ format: 'archive', assets: true, revisions: false })
  await installation.database.pool.query(
    `INSERT INTO app_export (space_id, app_id, id, event_id, options, file_name) VALUES ($1, $2, $3, 0, $4, 'a.zip')`,
    [spaceId, appId, id, options],
  )
  return { exportId: id }
}

const ofMove = async ({ fixture: { ids } }: World) => {
  await installation.database.pool.query(`UPDATE move SET state = 'importing' WHERE id = $1`, [ids.move])
  return { moveId: ids.move }
}

const filling = async ({ space }: World) => {
  const { appId } = await space()
  return { carryId: newId(), appId, source: { kind: 'app', appId } }
}

const ending = async ({ fixture: { ids } }: World) => {
  const { pool } = installation.database
  await pool.query(`UPDATE token SET expires_at = now() + interval '1 hour' WHERE id = $1`, [ids.apiToken])
}

/** Ways of each action, with the right that it requires. The refused caller has the rights that `without` returns. */
const acts: [act: string, right: Right, ways: Record<string, Way>][] = [
  [
    'reading the documents of an app',
    'document.read',
    {
      ...named(
        'listDocuments',
        'getDocument',
        'previewDocument',
        'listRevisions',
        'listChangeAuthors',
        'getRevision',
      ),
      ...named('listReferences', 'listTrash', 'exportCsv', 'exportJson', 'duplicateDocument'),
      ...named('getAppExport', 'startAppExport', 'startSpaceExport', 'duplicateApp', 'saveTemplate'),
      ...named('createCdnToken', 'createApiToken', 'refreshCdnToken', 'refreshApiToken', 'createWebhook'),
      'an API token of the app': by('createApiToken', ({ fixture: { a } }) => ({
        data: { name: 'x', apps: [a] },
      })),
      'a later end of a token': async (world) => {
        await ending(world)
        return world.call('updateApiToken', { data: { expiresAt: null } })
      },
      'another address of a webhook': by('updateWebhook', () => ({
        data: { url: 'https://other.example.com/' },
      })),
      'enabling a webhook again': async (world) => {
        const { pool } = installation.database
        await pool.query('UPDATE webhook SET enabled = false WHERE id = $1', [world.fixture.ids.webhook])
        return world.call('updateWebhook', { data: { enabled: true } })
      },
      ...jobWays('appExports.write', anExport),
      ...jobWays('templates.fill', filling),
    },
  ],
  [
    'publishing a document',
    'document.publish.own',
    {
      'at once': by('createDocument', () => ({ document: { title: '題' }, type: 'PUBLISH' })),
      'with a save': async (world) => {
        const id = await ownDraft(world)
        const fixture = { ...world.fixture, ids: { ...world.fixture.ids, doc: id } }
        return worldOf(fixture, world.caller).call('updateDocument', { doc: {}, type: 'PUBLISH' })
      },
      bulkPublish: async (world) => world.call('bulkPublish', { documentIds: [await ownDraft(world)] }),
      bulkUnpublish: async (world) => {
        const { owner } = people
        const id = await ownDraft(world)
        ok(await worldOf(world.fixture, owner).call('bulkPublish', { documentIds: [id] }))
        return world.call('bulkUnpublish', { documentIds: [id] })
      },
    },
  ],
  [
    "changing another user's document",
    'document.write.any',
    {
      ...named('updateDocument', 'bulkPublish', 'bulkUnpublish', 'updateCustomOrder'),
      'publishing it with a save': by('updateDocument', () => ({ doc: {}, type: 'PUBLISH' })),
      ...named('bulkDelete', 'bulkRestore', 'deleteDocument'),
    },
  ],
  [
    'changing models',
    'model.manage',
    {
      ...named('createModel', 'duplicateModel', 'importModel', 'updateModel', 'updateModelOrder'),
      ...named('takeBackModelChange', 'createCustomType', 'updateCustomType', 'copyCustomType'),
      ...jobWays('models.convert', async ({ space }) => {
        const { appId, modelId } = await space()
        return { appId, modelId }
      }),
      deleteModel: by('deleteModel'),
    },
  ],
  [
    'managing an app',
    'app.manage',
    {
      ...named('updateApp', 'updateAppAccess', 'uploadAppIcon', 'emptyAppCache', 'createAppRole'),
      ...named('startAppExport', 'startSpaceExport', 'getAppExport', 'getSpaceExport'),
      ...named('saveTemplate', 'duplicateApp', 'planAppImport', 'beginAppImport', 'importApp'),
      ...named('addAppMember', 'listAppInvitations'),
      'an invitation to the app': by('createInvitation', ({ fixture: { a } }) => ({
        invitation: { email: `${unique('x')}@example.com`, app: a, appRoleId: 'app-Admin' },
      })),
      'a group with a role in the app': by('updateGroupRoles', ({ fixture: { a } }) => ({
        data: {
          groups: [],
          appGroups: [{ app: a, name: '編集部', roleId: 'app-Admin' }],
          defaultRoleId: 'pjt-Member',
        },
      })),
      ...jobWays('appExports.write', anExport),
      ...jobWays('templates.fill', filling),
      deleteApp: by('deleteApp'),
    },
  ],
  [
    'creating apps',
    'app.create',
    {
      ...named('createApp', 'duplicateApp', 'createMove', 'listMoves', 'updateMovePlan', 'startMove'),
      'from a template': by('createApp', () => ({ appTemplateId: 'blog' })),
      ...jobWays('moves.import', ofMove),
    },
  ],
  [
    'adding files',
    'asset.write.own',
    {
      ...named('uploadAssets', 'signUpload', 'startMove'),
      'retry moves.import': (world) => world.job('retry', 'moves.import', () => ofMove(world)),
    },
  ],
  [
    "changing another user's files",
    'asset.write.any',
    named(
      ...(['updateAsset', 'updateAssetTags', 'editAssetPicture', 'replaceAsset'] as const),
      ...(['deleteAssets', 'restoreAssets', 'deleteAsset'] as const),
    ),
  ],
  [
    'moving files between storages',
    'storage.manage',
    {
      moveFiles: by('moveFiles'),
      ...jobWays('assets.moveFiles', async ({ space }) => ({ spaceId: (await space()).id })),
    },
  ],
  [
    'granting a right that the caller does not have',
    'webhook.manage',
    {
      createRole: by('createRole', () => ({
        data: { name: unique('役'), rights: ['space.view', 'webhook.manage'] },
      })),
      'an invitation of an admin': by('createInvitation', () => ({ invitation: { roleId: 'pjt-Admin' } })),
      'a group with the role of admins': by('updateGroupRoles', () => ({
        data: { groups: [{ name: 'x', roleId: 'pjt-Admin' }], defaultRoleId: 'pjt-Member' },
      })),
      'a directory, which has all rights': by('createScim'),
    },
  ],
  [
    'sending webhooks',
    'webhook.manage',
    {
      ...named('updateWebhook', 'redeliverWebhook', 'redeliverWebhookDelivery', 'refreshWebhookSecret'),
      ...jobWays('webhooks.deliver', async ({ space }) => ({ spaceId: (await space()).id })),
    },
  ],
  [
    'reading submissions',
    'submission.read',
    named('listSubmissions', 'getSubmission', 'exportSubmissions', 'getSubmissionFile'),
  ],
  [
    'deleting submissions',
    'submission.manage',
    {
      ...named('updateSubmission', 'bulkUpdateSubmissions', 'bulkRestoreSubmissions'),
      'a shorter retention': by('updateForm', () => ({
        data: { ...formValues, retentionDays: 1, version: 1 },
      })),
      ...named('bulkDeleteSubmissions', 'deleteForm', 'restoreForm'),
    },
  ],
  [
    'changing security settings',
    'security.manage',
    { ...named('updateSecurity', 'updateGroupRoles'), ...jobWays('security.endTrial', () => ({})) },
  ],
  [
    'sending mails of forms',
    'form.manage',
    {
      ...jobWays('mail.sendBulk', () => ({ sealed: 'x' })),
      ...jobWays('forms.mail', () => ({ formId: newId() })),
    },
  ],
  [
    'sending mails to members',
    'member.manage',
    {
      ...named('createInvitation', 'renewInvitation', 'revokeInvitation'),
      ...jobWays('mail.send', () => ({ sealed: 'x' })),
      'retry secondFactor.mailReset': (world) =>
        world.job('retry', 'secondFactor.mailReset', () => ({ accountId: newId(), asker: 'x', space: 'x' })),
    },
  ],
]

/** Returns all rights except this one, the rights that presuppose it and the rights that imply it. */
const without = (right: Right): Right[] =>
  allRights.filter((other) => {
    const implied: readonly Right[] | undefined = isAppRight(other) ? impliedByAnyApp[other] : undefined
    return other !== right && !presupposed[other]?.includes(right) && !implied?.includes(right)
  })

/**
 * Returns whether a call was refused. A bulk call refuses each item in its results. A role with too many rights is
 * refused like an invalid value.
 */
const isRefused = ({ status, body }: Answer): boolean =>
  [401, 403, 404].includes(status) ||
  ['InvalidRoleCreation', 'InvalidRoleChange'].includes(body?.code) ||
  (Array.isArray(body?.results) && body.results.every(({ success }: { success: boolean }) => !success))

describe.each(acts)('%s', (_act, right, ways) => {
  it(`is refused in each listed way without ${right}`, async () => {
    const fixture = await makeFixture(installation, people, { reading: true, members: false })
    const url = `/api/project/${fixture.p}`
    const data = { name: unique('役'), rights: without(right) }
    const { role } = ok(await people.owner.client.post(`${url}/role`, { data }))
    const caller = await createMember(installation, { uid: fixture.p, url }, role.uid)
    const owner = worldOf(fixture, people.owner)
    for (const [way, act] of Object.entries(ways)) {
      const answer = await act(worldOf(fixture, caller))
      expect([way, isRefused(answer)], answer.text.slice(0, 300)).toEqual([way, true])
      const allowed = await act(owner)
      expect([way, isRefused(allowed)], allowed.text.slice(0, 300)).toEqual([way, false])
    }
  })
})

describe('endpoints with effects', () => {
  it.each([
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://stranger.example' },
  ])('refuse requests from pages of other origins, unless they read no cookie: %o', async (headers) => {
    for (const call of everyEndpoint) {
      const [name, endpoint] = call
      if (!hasEffects(endpoint) || !readsCookies(endpoint)) continue
      const answer = await callEmpty(people.owner.client, call, fixture, headers)
      expect([name, answer.status, answer.body?.code]).toEqual([name, 403, 'InvalidCsrfToken'])
    }
  })

  it('include every GET whose statements write', async () => {
    const files = await readdir('src/server', { recursive: true })
    const recorded = files.filter((file) => file.endsWith('.statements.sql'))
    const texts = await Promise.all(recorded.map((file) => readFile(`src/server/${file}`, 'utf8')))
    const writing = texts
      .flatMap((text) => text.split(/^(?=-- \w+: [A-Z]+ \/api)/m))
      .filter((text) => /^(insert|update|delete) |^-- audit: /im.test(text))
      .flatMap((text) => /^-- (\w+): GET /.exec(text)?.[1] ?? [])
    expect(writing).toContain('signUpload')
    const byName = new Map(everyEndpoint)
    for (const name of writing) {
      const endpoint = byName.get(name)
      expect([name, endpoint && hasEffects(endpoint)]).toEqual([name, true])
    }
  })

  it('include eleven GETs, such as exports and signed uploads', () => {
    const gets = everyEndpoint.filter(([, endpoint]) => methodOf(endpoint) === 'GET' && hasEffects(endpoint))
    expect(gets.map(([name]) => name).toSorted()).toEqual([
      'exportAuditLog',
      'exportCsv',
      'exportJson',
      'exportSubmissions',
      'getAppExport',
      'getAppExportFile',
      'getSpaceExportFile',
      'getSubmissionFile',
      'signAppImportUpload',
      'signMoveUpload',
      'signUpload',
    ])
  })
})
