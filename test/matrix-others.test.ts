import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Endpoint } from '#shared/contract/endpoint.ts'
import { type Endpoints, endpoints } from '#shared/contract/index.ts'
import { isRight, presupposed, type Right } from '#shared/permissions.ts'
import { createMember, type TestAccount, unique } from './factories.ts'
import { inSpaces, methodOf } from './matrix-calls.ts'
import {
  bodies,
  type Fixture,
  invitePeople,
  makeFixture,
  type People,
  pathOf,
  refusedForContent,
} from './matrix-fixture.ts'
import { type Answer, ok, startInstallation, type TestInstallation } from './server.ts'

/*
 * Tests objects of other members (docs/decisions/0078). For every call about one object there is a line with the right
 * needed to act on objects of others. The call's own right is enough to create such an object and to act on the
 * caller's own.
 */

type Name = keyof Endpoints
interface Owned {
  /** The right needed to act on an object of another member. null: not allowed for any member. */
  others: Right | null
  /** Status of the response without that right. `result`: 200, with a refusal in the results. */
  refused: 400 | 403 | 404 | 'result'
  /** Further rights that the call needs. */
  also?: Right[]
}

const ofMoves: Owned = { others: 'app.manage', refused: 404 }
const ofDocuments: Owned = { others: 'document.write.any', refused: 403 }
const ofAssets: Owned = { others: 'asset.write.any', refused: 403 }
const ofJobs: Owned = { others: 'space.update', refused: 404 }
const ofViews: Owned = { others: null, refused: 404 }
// A token belongs to the space, but its value lets the caller read all documents that the token may read.
const ofTokenValues: Owned = { others: 'document.read', refused: 403 }

/** `shared`: the object belongs to the space or the app, and the call's own right is enough. */
const whose: Partial<Record<Name, Owned | 'shared'>> = {
  getMove: ofMoves,
  signMoveUpload: ofMoves,
  confirmMoveUpload: ofMoves,
  getMovePlan: ofMoves,
  updateMovePlan: ofMoves,
  getMoveChanges: ofMoves,
  listChangedDocuments: ofMoves,
  chooseMoveChanges: ofMoves,
  getMoveApps: ofMoves,
  updateMoveApps: ofMoves,
  startMove: { ...ofMoves, also: ['asset.write.own'] },
  cancelMove: ofMoves,
  retryMove: ofMoves,
  undoMove: ofMoves,
  acceptMove: ofMoves,
  deleteMove: ofMoves,
  // Managers of the app may call these, because an import into an app is not a move of the space (docs/decisions/0096).
  getAppImport: 'shared',
  signAppImportUpload: 'shared',
  confirmAppImportUpload: 'shared',
  getAppImportChanges: 'shared',
  listAppImportDocuments: 'shared',
  chooseAppImportChanges: 'shared',
  startAppImport: 'shared',
  cancelAppImport: 'shared',
  retryAppImport: 'shared',
  deleteAppImport: 'shared',
  deleteAppTemplate: { others: 'app.manage', refused: 403 },
  retryJob: ofJobs,
  cancelJob: ofJobs,
  updateAppView: ofViews,
  deleteAppView: ofViews,
  updateAppViewOrder: { others: null, refused: 400 },
  confirmUpload: { others: null, refused: 403 },
  updateAsset: ofAssets,
  replaceAsset: ofAssets,
  editAssetPicture: ofAssets,
  deleteAsset: ofAssets,
  deleteAssets: { ...ofAssets, refused: 'result' },
  restoreAssets: { ...ofAssets, refused: 'result' },
  updateAssetTags: { ...ofAssets, refused: 'result' },
  updateDocument: ofDocuments,
  deleteDocument: ofDocuments,
  bulkPublish: { ...ofDocuments, refused: 'result' },
  bulkUnpublish: { ...ofDocuments, refused: 'result' },
  bulkDelete: { ...ofDocuments, refused: 'result' },
  bulkRestore: { ...ofDocuments, refused: 'result' },
  refreshCdnToken: ofTokenValues,
  refreshApiToken: ofTokenValues,
  getWebhook: 'shared',
  updateWebhook: 'shared',
  deleteWebhook: 'shared',
  refreshWebhookSecret: 'shared',
  endPreviousWebhookSecret: 'shared',
  sendWebhook: 'shared',
  listWebhookDeliveries: 'shared',
  getWebhookDelivery: 'shared',
  redeliverWebhookDelivery: 'shared',
  redeliverWebhook: 'shared',
  getForm: 'shared',
  updateForm: 'shared',
  deleteForm: 'shared',
  restoreForm: 'shared',
  previewFormMail: 'shared',
  testFormMail: 'shared',
  listSubmissions: 'shared',
  getSubmission: 'shared',
  updateSubmission: 'shared',
  bulkUpdateSubmissions: 'shared',
  bulkDeleteSubmissions: 'shared',
  bulkRestoreSubmissions: 'shared',
  exportSubmissions: 'shared',
  getSubmissionFile: 'shared',
  updateCdnToken: 'shared',
  deleteCdnToken: 'shared',
  updateApiToken: 'shared',
  deleteApiToken: 'shared',
  // Templates of private apps have a separate test below.
  getAppTemplateCover: 'shared',
  getTemplateVersion: 'shared',
  deleteTemplateVersion: 'shared',
  getAsset: 'shared',
  getAssetBlob: 'shared',
  getAssetReferences: 'shared',
  updateTag: 'shared',
  deleteTag: 'shared',
  updateAssetFolder: 'shared',
  deleteAssetFolder: 'shared',
  getDocument: 'shared',
  // The copy belongs to the caller.
  duplicateDocument: 'shared',
  previewDocument: 'shared',
  listRevisions: 'shared',
  listChangeAuthors: 'shared',
  getRevision: 'shared',
  listReferences: 'shared',
  getCustomType: 'shared',
  updateCustomType: 'shared',
  listCustomTypeChanges: 'shared',
  takeBackCustomTypeChange: 'shared',
  confirmCustomTypeChange: 'shared',
  deleteCustomType: 'shared',
  // Calls about members and roles are limited by the rights that the caller may grant (docs/decisions/0047), not by the
  // creator of the object.
  updateRole: 'shared',
  deleteRole: 'shared',
  updateAppRole: 'shared',
  deleteAppRole: 'shared',
  renewInvitation: 'shared',
  revokeInvitation: 'shared',
  renewAppInvitation: 'shared',
  revokeAppInvitation: 'shared',
  acceptAccessRequest: 'shared',
  declineAccessRequest: 'shared',
  getMemberRights: 'shared',
  updateMember: 'shared',
  deleteMember: 'shared',
  updateAppMember: 'shared',
  deleteAppMember: 'shared',
  getMemberIdentities: 'shared',
  unlinkMember: 'shared',
  getMemberFactor: 'shared',
  askNewFactor: 'shared',
}

let installation: TestInstallation
let people: People
/** Space for refused calls, which must not change it. Its owner owns all objects in it. */
let fixture: Fixture
beforeAll(async () => {
  installation = await startInstallation()
  people = await invitePeople(installation)
  fixture = await makeFixture(installation, people, { members: false, reading: true })
})
afterAll(() => installation?.close())

const whole = (rights: readonly Right[]) => [
  ...new Set<Right>(['space.view', ...rights.flatMap((right) => presupposed[right] ?? []), ...rights]),
]

/** Adds a member to the fixture's space with a role that grants these rights in the space and its apps. */
async function holderOf({ p }: Fixture, rights: readonly Right[]): Promise<TestAccount> {
  const url = `/api/project/${p}`
  const data = { name: unique('役割'), rights: whole(rights) }
  const { role } = ok(await people.owner.client.post(`${url}/role`, { data }))
  return createMember(installation, { uid: p, url }, role.uid)
}

function call(name: Name, inside: Fixture, account: TestAccount): Promise<Answer> {
  const endpoint: Endpoint = endpoints[name]
  const url = pathOf(endpoint.route, inside, account.id)
  return account.client.send(methodOf(endpoint), url, bodies[name]?.(inside, account))
}

/** Returns the results of a batch call with one object. */
const resultOf = ({ body }: Answer) => body.results.map((result: { code?: string }) => result.code ?? 'done')

it('`whose` has a line for every call about one object', () => {
  const about = inSpaces.filter(([, { route }]) => /\{(?:id|t|version)\}/.test(route)).map(([name]) => name)
  expect(about.filter((name) => !(name in whose))).toEqual([])
})

describe('a template of a private app', () => {
  let hidden: Fixture
  beforeAll(async () => {
    hidden = await makeFixture(installation, people, { members: false, visibility: 'private' })
  })

  /**
   * Returns the templates of the space that the account sees, and the statuses of calls about the template of the
   * private app.
   */
  async function answersTo({ client }: TestAccount) {
    const { p, ids } = hidden
    const url = `/api/project/${p}`
    const { appTemplates } = ok(await client.get(`${url}/appTemplate`))
    const own = appTemplates.flatMap(({ _id, version }: { _id: string; version: number | null }) =>
      version === null ? [] : [_id],
    )
    const made = await client.post(`${url}/app`, {
      appTemplateId: ids.template,
      data: { uid: unique('app') },
    })
    const deleted = await client.delete(`${url}/appTemplate/${ids.template}`)
    return { own, made: made.status, deleted: deleted.status }
  }

  it('is hidden from members who may create apps but do not see this app', async () => {
    expect(await answersTo(await holderOf(hidden, ['app.create']))).toEqual({
      own: [],
      made: 400,
      deleted: 404,
    })
  })

  it('can be used but not deleted by members who see every app', async () => {
    expect(await answersTo(await holderOf(hidden, ['app.create', 'document.read']))).toEqual({
      own: [hidden.ids.template],
      made: 200,
      deleted: 403,
    })
  })
})

const owned = Object.entries(whose).flatMap(([name, rule]) =>
  rule === 'shared' ? [] : [[name as Name, rule] as const],
)
describe.each(owned)('%s', (name, { others, refused, also = [] }) => {
  const { permission, route } = endpoints[name] as Endpoint
  const own = isRight(permission) ? [permission, ...also] : also

  it(`${others ? `requires ${others}` : 'refuses even admins'} for objects of other members`, async () => {
    // If `others` is null, even an admin is refused.
    const all = { uid: fixture.p, url: `/api/project/${fixture.p}` }
    const lacking =
      others === null ? await createMember(installation, all, 'pjt-Admin') : await holderOf(fixture, own)
    const answer = await call(name, fixture, lacking)
    if (refused === 'result') expect(resultOf(answer)).toEqual(['Forbidden'])
    else expect([answer.status, answer.text]).toEqual([refused, expect.anything()])
    if (others === null) return

    const changes = !route.startsWith('GET ')
    const inside = changes ? await makeFixture(installation, people, { members: false }) : fixture
    const allowed = await call(name, inside, await holderOf(inside, [...own, others]))
    if (refused === 'result') expect(resultOf(allowed)).not.toContain('Forbidden')
    else if (allowed.body?.code !== refusedForContent[name])
      expect([allowed.status, allowed.text]).toEqual([200, expect.anything()])
  })
})
