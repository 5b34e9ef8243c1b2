import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Caller } from '#server/access/caller.ts'
import { asSystem, onBehalf } from '#server/access/callers/job.ts'
import { execute } from '#server/access/operations/execute.ts'
import { isOfSpace, type Operation } from '#server/access/operations/operation.ts'
import { visitorCaller } from '#server/features/forms/intake/visitor-caller.ts'
import { operations } from '#server/features/index.ts'
import { directoryCaller } from '#server/features/scim/directory-caller.ts'
import { newId } from '#server/lib/ids.ts'
import {
  type Endpoint,
  isSafe,
  readsCookies,
  responseOf,
  successStatuses,
} from '#shared/contract/endpoint.ts'
import { type Endpoints, endpoints } from '#shared/contract/index.ts'
import {
  appRoles,
  can,
  impliedByAnyApp,
  isAppRight,
  isAppRole,
  isSpaceRight,
  projectRoles,
  type Right,
} from '#shared/permissions.ts'
import {
  bodies,
  everybody,
  type Fixture,
  invitePeople,
  makeFixture,
  type People,
  pathOf,
  refusedForContent,
  type Who,
} from './matrix-fixture.ts'
import { type Surrounded, startSurrounded } from './matrix-outside.ts'
import { type Answer, ok, type TestInstallation } from './server.ts'

const signedIn = everybody.filter((who) => who !== 'nobody')
const members = signedIn.filter((who) => who !== 'stranger')
const readers = members.filter((who) => who !== 'outside')
const contributors = readers.filter((who) => who !== 'app-Subscriber')
const authors = contributors.filter((who) => who !== 'app-Contributor')
const editors = authors.filter((who) => who !== 'app-Author')
const appAdmins = editors.filter((who) => who !== 'app-Editor')
const spaceAdmins: Who[] = ['pjt-Admin']

/**
 * Permitted callers of each call. They are listed explicitly instead of derived, so that a change of a right is
 * deliberate.
 */
const mayCall: Record<keyof Endpoints, Who[]> = {
  getSignupState: everybody,
  signup: everybody,
  lookAtSignup: everybody,
  finishSignup: everybody,
  login: everybody,
  logout: signedIn,
  getCurrentAccount: everybody,
  getCsrfToken: everybody,
  updateAccount: signedIn,
  getAccountIcon: signedIn,
  uploadAccountIcon: signedIn,
  getAccountSecurity: signedIn,
  sendEmailVerification: signedIn,
  sendEmailVerificationByAuth: signedIn,
  confirmEmail: everybody,
  confirmOwnEmail: [],
  changeEmail: signedIn,
  cancelEmailChange: signedIn,
  changePassword: signedIn,
  forgotPassword: everybody,
  lookAtReset: everybody,
  resetPassword: everybody,
  endSession: signedIn,
  endOtherSessions: signedIn,
  deleteAccount: signedIn,
  finishSignIn: everybody,
  resetSecondFactor: everybody,
  resetSecondFactorByAdmin: [],
  getSecondFactor: signedIn,
  beginPasskey: signedIn,
  addPasskey: signedIn,
  deletePasskey: signedIn,
  beginPasskeySignIn: everybody,
  finishByPasskey: everybody,
  beginTotp: signedIn,
  confirmTotp: signedIn,
  renewRecoveryCodes: signedIn,
  disableSecondFactor: signedIn,
  listAllSpaces: [],
  listAllAccounts: [],
  getInstallationSettings: [],
  updateInstallationSettings: [],
  listKeptMails: [],
  sendTestMail: [],
  deleteKeptMail: [],
  listSpaces: signedIn,
  createSpace: signedIn,
  getSpace: members,
  getUsage: spaceAdmins,
  updateSpace: spaceAdmins,
  deleteSpace: spaceAdmins,
  getSso: spaceAdmins,
  updateSso: spaceAdmins,
  deleteSso: spaceAdmins,
  testSso: spaceAdmins,
  trySso: spaceAdmins,
  readSsoMetadata: spaceAdmins,
  listSsoRefusals: spaceAdmins,
  checkSsoDomain: spaceAdmins,
  confirmSsoDomain: spaceAdmins,
  listSsoCertificates: spaceAdmins,
  addSsoCertificate: spaceAdmins,
  deleteSsoCertificate: spaceAdmins,
  getMemberIdentities: spaceAdmins,
  unlinkMember: spaceAdmins,
  getMemberFactor: spaceAdmins,
  askNewFactor: spaceAdmins,
  listOwnIdentities: signedIn,
  unlinkOwnIdentity: signedIn,
  beginSso: everybody,
  finishSso: everybody,
  linkSso: signedIn,
  answerOidc: everybody,
  answerSaml: everybody,
  getSamlMetadata: everybody,
  getGroupRoles: spaceAdmins,
  updateGroupRoles: spaceAdmins,
  getImageSettings: spaceAdmins,
  updateImageSettings: spaceAdmins,
  getCurrentRole: members,
  listMembers: members,
  updateMember: spaceAdmins,
  deleteMember: spaceAdmins,
  getMemberRights: spaceAdmins,
  leaveSpace: members,
  listRoles: members,
  createRole: spaceAdmins,
  updateRole: spaceAdmins,
  deleteRole: spaceAdmins,
  listAppRoles: members,
  createAppRole: appAdmins,
  updateAppRole: appAdmins,
  deleteAppRole: appAdmins,
  getCurrentAppRole: members,
  listAppMembers: readers,
  addAppMember: appAdmins,
  listLeftMembers: appAdmins,
  joinApp: members,
  leaveApp: members,
  updateAppMember: appAdmins,
  deleteAppMember: appAdmins,
  listInvitations: spaceAdmins,
  createInvitation: spaceAdmins,
  renewInvitation: spaceAdmins,
  revokeInvitation: spaceAdmins,
  listAppInvitations: appAdmins,
  renewAppInvitation: appAdmins,
  revokeAppInvitation: appAdmins,
  lookAtInvitation: everybody,
  acceptInvitation: signedIn,
  askForAccess: members,
  listAccessRequests: appAdmins,
  acceptAccessRequest: appAdmins,
  declineAccessRequest: appAdmins,
  listApps: members,
  createApp: spaceAdmins,
  updateAppOrder: spaceAdmins,
  getApp: members,
  updateApp: appAdmins,
  uploadAppIcon: appAdmins,
  uploadAppCover: appAdmins,
  updateAppAccess: appAdmins,
  getAppExport: appAdmins,
  startAppExport: appAdmins,
  getAppExportFile: appAdmins,
  getSpaceExport: spaceAdmins,
  startSpaceExport: spaceAdmins,
  getSpaceExportFile: spaceAdmins,
  emptyAppCache: appAdmins,
  deleteApp: appAdmins,
  listAppTemplates: spaceAdmins,
  getAppTemplateCover: spaceAdmins,
  duplicateApp: spaceAdmins,
  deleteAppTemplate: spaceAdmins,
  listTemplateVersions: appAdmins,
  saveTemplate: appAdmins,
  getTemplateVersion: appAdmins,
  deleteTemplateVersion: appAdmins,
  deleteTemplate: appAdmins,
  getTemplateUpdate: appAdmins,
  applyTemplateUpdate: appAdmins,
  undoTemplateUpdate: appAdmins,
  acceptTemplateUpdate: appAdmins,
  listModels: readers,
  createModel: appAdmins,
  updateModelOrder: appAdmins,
  getModel: readers,
  updateModel: appAdmins,
  continueConversion: appAdmins,
  listModelChanges: appAdmins,
  takeBackModelChange: appAdmins,
  confirmModelChange: appAdmins,
  deleteModel: appAdmins,
  duplicateModel: appAdmins,
  importModel: appAdmins,
  listCustomTypes: readers,
  createCustomType: appAdmins,
  getCustomType: readers,
  updateCustomType: appAdmins,
  listCustomTypeChanges: appAdmins,
  takeBackCustomTypeChange: appAdmins,
  confirmCustomTypeChange: appAdmins,
  deleteCustomType: appAdmins,
  copyCustomType: appAdmins,
  listDocuments: readers,
  exportCsv: readers,
  exportJson: readers,
  createDocument: contributors,
  getDocument: readers,
  previewDocument: readers,
  updateDocument: contributors,
  duplicateDocument: contributors,
  deleteDocument: contributors,
  listRevisions: readers,
  listChangeAuthors: readers,
  getRevision: readers,
  listReferences: readers,
  validateDocument: contributors,
  validateField: contributors,
  listMissingAssets: authors,
  bulkPublish: authors,
  bulkUnpublish: authors,
  bulkDelete: contributors,
  bulkRestore: contributors,
  listTrash: readers,
  updateCustomOrder: editors,
  resetCustomOrder: editors,
  listAppViews: readers,
  createAppView: readers,
  updateAppView: readers,
  deleteAppView: readers,
  updateAppViewOrder: readers,
  listSiteRequests: appAdmins,
  listCdnTokens: spaceAdmins,
  listWebhooks: spaceAdmins,
  getWebhook: spaceAdmins,
  createWebhook: spaceAdmins,
  updateWebhook: spaceAdmins,
  deleteWebhook: spaceAdmins,
  refreshWebhookSecret: spaceAdmins,
  endPreviousWebhookSecret: spaceAdmins,
  sendWebhook: spaceAdmins,
  previewWebhook: spaceAdmins,
  listWebhookDeliveries: spaceAdmins,
  getWebhookDelivery: spaceAdmins,
  redeliverWebhookDelivery: spaceAdmins,
  redeliverWebhook: spaceAdmins,
  listForms: spaceAdmins,
  getForm: spaceAdmins,
  createForm: spaceAdmins,
  updateForm: spaceAdmins,
  deleteForm: spaceAdmins,
  restoreForm: spaceAdmins,
  previewFormMail: spaceAdmins,
  testFormMail: spaceAdmins,
  listSubmissions: spaceAdmins,
  getSubmission: spaceAdmins,
  updateSubmission: spaceAdmins,
  bulkUpdateSubmissions: spaceAdmins,
  bulkDeleteSubmissions: spaceAdmins,
  bulkRestoreSubmissions: spaceAdmins,
  exportSubmissions: spaceAdmins,
  getSubmissionFile: spaceAdmins,
  createCdnToken: spaceAdmins,
  updateCdnToken: spaceAdmins,
  deleteCdnToken: spaceAdmins,
  refreshCdnToken: spaceAdmins,
  listApiTokens: spaceAdmins,
  createApiToken: spaceAdmins,
  updateApiToken: spaceAdmins,
  deleteApiToken: spaceAdmins,
  refreshApiToken: spaceAdmins,
  listAssets: members,
  getAsset: members,
  uploadAssets: members,
  uploadAssetFromUrl: members,
  signUpload: members,
  submitForm: everybody,
  getFormThanks: everybody,
  getUploadOffset: everybody,
  receiveUpload: everybody,
  confirmUpload: members,
  updateAsset: members,
  replaceAsset: members,
  editAssetPicture: members,
  updateAssetTags: members,
  deleteAssets: members,
  restoreAssets: members,
  deleteAsset: members,
  getAssetBlob: members,
  getAssetReferences: members,
  listTags: members,
  createTag: editors,
  updateTag: editors,
  deleteTag: editors,
  listAssetFolders: members,
  createAssetFolder: editors,
  updateAssetFolder: editors,
  deleteAssetFolder: editors,
  getExternalStorage: spaceAdmins,
  saveExternalStorage: spaceAdmins,
  deleteExternalStorage: spaceAdmins,
  testExternalStorage: spaceAdmins,
  moveFiles: spaceAdmins,
  listMoves: spaceAdmins,
  createMove: spaceAdmins,
  createMoveKey: spaceAdmins,
  getMove: spaceAdmins,
  signMoveUpload: spaceAdmins,
  confirmMoveUpload: spaceAdmins,
  getMovePlan: spaceAdmins,
  getMoveChanges: spaceAdmins,
  listChangedDocuments: spaceAdmins,
  chooseMoveChanges: spaceAdmins,
  getMoveApps: spaceAdmins,
  updateMoveApps: spaceAdmins,
  updateMovePlan: spaceAdmins,
  startMove: spaceAdmins,
  listAppImports: appAdmins,
  importApp: appAdmins,
  planAppImport: appAdmins,
  beginAppImport: appAdmins,
  getAppImport: appAdmins,
  signAppImportUpload: appAdmins,
  confirmAppImportUpload: appAdmins,
  getAppImportChanges: appAdmins,
  listAppImportDocuments: appAdmins,
  chooseAppImportChanges: appAdmins,
  startAppImport: appAdmins,
  cancelAppImport: appAdmins,
  retryAppImport: appAdmins,
  deleteAppImport: appAdmins,
  cancelMove: spaceAdmins,
  retryMove: spaceAdmins,
  undoMove: spaceAdmins,
  acceptMove: spaceAdmins,
  deleteMove: spaceAdmins,
  listJobs: members,
  cancelJob: members,
  retryJob: members,
  getEmbeddedCode: signedIn,
  previewEmbed: signedIn,
  getMapTiles: signedIn,
  getScim: spaceAdmins,
  createScim: spaceAdmins,
  updateScim: spaceAdmins,
  deleteScim: spaceAdmins,
  // Only a directory with the token of the space may call these.
  listScimUsers: [],
  searchScimUsers: [],
  createScimUser: [],
  getScimUser: [],
  replaceScimUser: [],
  patchScimUser: [],
  deleteScimUser: [],
  listScimGroups: [],
  searchScimGroups: [],
  createScimGroup: [],
  getScimGroup: [],
  replaceScimGroup: [],
  patchScimGroup: [],
  deleteScimGroup: [],
  getScimConfig: [],
  listScimResourceTypes: [],
  getScimResourceType: [],
  listScimSchemas: [],
  getScimSchema: [],
  getSecurity: spaceAdmins,
  updateSecurity: spaceAdmins,
  confirmRanges: spaceAdmins,
  confirmTokenRanges: spaceAdmins,
  validateSecondFactor: members,
  validateIp: members,
  listAuditLog: spaceAdmins,
  exportAuditLog: spaceAdmins,
  verifyAuditLog: spaceAdmins,
  // Only the installation's admin may call these, and no caller in the test is one.
  listInstallationJobs: [],
  retryInstallationJob: [],
  cancelInstallationJob: [],
  listInstallationAuditLog: [],
}

type Name = keyof Endpoints
const all = Object.entries(endpoints) as [Name, Endpoint][]
const methodOf = ({ route }: Endpoint) => route.split(' ')[0] as 'GET' | 'POST'

/**
 * Calls whose object other calls would delete, and calls that would delete the object of other calls. Each has its own
 * space.
 */
const alone: Name[] = [
  'leaveSpace',
  'leaveApp',
  'renewAppInvitation',
  'revokeInvitation',
  'declineAccessRequest',
  'updateAppOrder',
  'updateModelOrder',
  'updateAppViewOrder',
  'confirmModelChange',
  'confirmCustomTypeChange',
  'copyCustomType',
  'startMove',
  'startAppImport',
  'deleteAppTemplate',
]

/**
 * The calls of one caller share a space, so deletions are last, and inner objects are deleted before the objects that
 * contain them.
 */
const inOrder = all.toSorted(([, a], [, b]) => {
  const deletes = (endpoint: Endpoint) => Number((methodOf(endpoint) as string) === 'DELETE')
  return deletes(a) - deletes(b) || deletes(a) * (b.route.length - a.route.length)
})

let surrounded: Surrounded
let installation: TestInstallation
let people: People
/** Space for refused calls, which must not change it. */
let shared: Fixture
let hidden: Fixture
beforeAll(async () => {
  surrounded = await startSurrounded()
  installation = surrounded.installation
  people = await invitePeople(installation, surrounded.fileUrl, surrounded.bucket)
  shared = await makeFixture(installation, people, { reading: true })
  hidden = await makeFixture(installation, people, { visibility: 'private' })
})
afterAll(() => surrounded?.close())

const changed = new Map<Who, Promise<Fixture>>()
/** Returns the space for the permitted calls of a caller, created once, except for calls in `alone`. */
function changedBy(who: Who, name: Name): Promise<Fixture> {
  if (alone.includes(name)) return makeFixture(installation, people, { author: who })
  const fixture = changed.get(who) ?? makeFixture(installation, people, { author: who })
  changed.set(who, fixture)
  return fixture
}

/** Returns the number of audit log entries of the installation and its spaces. */
const countEntries = async () => {
  // Changes of a sign-in are also logged in the account's spaces. These copies are not counted.
  const query = installation.database.kysely
    .selectFrom('audit_entry')
    .where((where) => where.or([where('object_kind', '<>', 'account'), where('space_id', '=', 0)]))
  const { count } = await query
    .select((select) => select.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Calls without an effect: the fixture's upload is already confirmed. */
const repeated: Name[] = ['confirmUpload']

/** Returns the number of exports. `getAppExport` starts an export only if the latest one is outdated. */
const countExports = async () =>
  Number((await installation.database.pool.query('SELECT count(*) FROM app_export')).rows[0].count)

/** Calls that succeed for HTTP, but are recorded as a refused sign-in by SSO. */
const refusedSignIns: Name[] = ['answerSaml']

/** Returns the number of audit log entries that a call adds. */
const entriesOf = (name: Name, { audit }: Endpoint) =>
  refusedSignIns.includes(name) || (audit && 'act' in audit && !repeated.includes(name)) ? 1 : 0

/** Calls an endpoint as a caller, with the path and the body of `fixture`, and with the path parameters in `path`. */
const call = (name: Name, who: Who, fixture: Fixture, path: Partial<Fixture> = {}): Promise<Answer> =>
  prepare(name, who, fixture, false, path)()

/** Prepares a call that can be sent several times. With an idempotency key, the call has an effect only once. */
function prepare(
  name: Name,
  who: Who,
  fixture: Fixture,
  keyed: boolean,
  path: Partial<Fixture> = {},
): () => Promise<Answer> {
  const endpoint: Endpoint = endpoints[name]
  const account = who === 'nobody' ? null : people.accounts[who]
  const url = pathOf(endpoint.route, { ...fixture, ...path }, account?.id ?? '0'.repeat(24))
  const body = bodies[name]?.(fixture, account)
  const headers = keyed ? { 'idempotency-key': name } : {}
  return () => people.clients[who].send(methodOf(endpoint), url, body, headers)
}

/** Returns the status that follows from the permission alone: success, 401, 403 or 404. */
function statusByPermission(endpoint: Endpoint, who: Who): number {
  const { permission, also = [], route } = endpoint
  const [success] = successStatuses(endpoint)
  if (permission === 'public') return success
  // A directory has a token instead of a session.
  if (who === 'nobody' || endpoint.caller === 'directory') return 401
  if (permission === 'account') return success
  if (who === 'stranger') return route.includes('{p}') ? 404 : 403
  if (!isSpaceRight(permission) && !isAppRight(permission)) return 403
  const projectRole = who === 'pjt-Admin' ? 'pjt-Admin' : 'pjt-Member'
  const inApp = route.includes('{a}') && isAppRole(who) ? appRoles[who] : []
  const anyApp = isAppRole(who) ? appRoles[who].flatMap((right) => impliedByAnyApp[right] ?? []) : []
  const rights = new Set<Right>([...projectRoles[projectRole], ...inApp, ...anyApp])
  return [permission, ...also].every((right) => can({ rights }, right)) ? success : 403
}

describe('the endpoints', () => {
  it('have one line each in the table of callers', () => {
    expect(Object.keys(mayCall).sort()).toEqual(Object.keys(endpoints).sort())
  })

  it('have permissions that agree with the table of callers', () => {
    for (const [name, endpoint] of all)
      for (const who of everybody)
        expect([name, who, statusByPermission(endpoint, who) < 400]).toEqual([
          name,
          who,
          mayCall[name].includes(who),
        ])
  })

  it('declare `audit` unless they are GETs or HEADs, with a reason if they add no entry', () => {
    const silent = all.filter(([, endpoint]) => !isSafe(endpoint) && endpoint.audit === undefined)
    expect(silent).toEqual([])
    for (const [name, { audit }] of all)
      if (audit && 'none' in audit) expect([name, audit.none.length > 10]).toEqual([name, true])
  })

  it('declare `audit` if they send a file, except for account icons, template covers and assets', () => {
    const files = all.filter(
      ([, { audit, ...endpoint }]) => responseOf(endpoint).kind === 'file' && audit === undefined,
    )
    expect(files.map(([name]) => name)).toEqual(['getAccountIcon', 'getAppTemplateCover', 'getAssetBlob'])
  })

  it('accept an idempotency key if they are POSTs, or state why not', () => {
    const silent = all.filter(([, { route, idempotent }]) => route.startsWith('POST ') && !idempotent)
    expect(silent).toEqual([])
  })

  it('have a body in `bodies` exactly if the contract declares a body', () => {
    for (const [name, endpoint] of all)
      expect([name, bodies[name] !== undefined]).toEqual([name, endpoint.body !== undefined])
  })
})

describe.each(inOrder)('%s', (name, endpoint) => {
  it('responds to each kind of caller according to the permission of the endpoint', async () => {
    for (const who of everybody) {
      const expected = statusByPermission(endpoint, who)
      const refusal = expected < 400 ? refusedForContent[name] : undefined
      const changes = expected < 400 && !isSafe(endpoint) && endpoint.route.includes('{p}')
      const fixture = changes ? await changedBy(who, name) : shared
      const [before, exports] = expected < 400 ? [await countEntries(), await countExports()] : [0, 0]
      const keyed = who === 'pjt-Admin' && endpoint.idempotent === true
      const send = prepare(name, who, fixture, keyed)
      const answer = await send()
      if (refusal) expect([who, answer.body?.code]).toEqual([who, refusal])
      else {
        expect([who, answer.status], `${who}: ${answer.text.slice(0, 300)}`).toEqual([who, expected])
        if (expected < 400)
          expect([who, (await countEntries()) - before]).toEqual([
            who,
            name === 'getAppExport' ? (await countExports()) - exports : entriesOf(name, endpoint),
          ])
        if (keyed) {
          const [left, again] = [await countEntries(), await send()]
          expect([again.text, await countEntries()]).toEqual([answer.text, left])
        }
      }
      if (name === 'login' || name === 'signup' || name === 'logout') await renewSession(who)
    }
  })

  if (endpoint.route.includes('{a}'))
    it('returns the same 404 for a private app and for an unknown app to a member outside the app', async () => {
      const unknown = await call(name, 'outside', hidden, { a: 'unknown' })
      const answer = await call(name, 'outside', hidden)
      expect([answer.status, answer.text]).toEqual([404, unknown.text])
    })
})

describe('callers without a session', () => {
  let directory: Caller
  beforeAll(async () => {
    const { token } = ok(await people.owner.client.post(`/api/project/${shared.p}/scim`, { data: {} })).scim
    directory = directoryCaller(token, { ip: '203.0.113.9', agent: null })
  })
  const inSpaces = operations.filter(({ endpoint }) => isOfSpace(endpoint))

  /** Returns the error code that refuses the caller. `admitted`: the handler would run; its input is not checked. */
  function admission({ name, endpoint }: Operation, caller: Caller): Promise<string> {
    const { query: _query, body: _body, ...withoutInput } = endpoint
    const probe: Operation = {
      name,
      endpoint: withoutInput,
      handle: () => {
        throw Object.assign(new Error('The caller is admitted'), { code: 'admitted' })
      },
    }
    const { p, a, m } = shared
    const server = { db: installation.database.kysely, services: installation.deps.services }
    const answered = execute(server, probe, {
      recognise: () => caller,
      origin: caller.origin,
      params: {
        p,
        ...(endpoint.route.includes('{a}') && { a }),
        ...(endpoint.route.includes('{m}') && { m }),
      },
      query: {},
      body: () => undefined,
      request: {
        language: 'ja',
        queryString: '',
        ifMatch: undefined,
        fieldIndexes: undefined,
        signal: new AbortController().signal,
      },
    })
    return answered.then(
      () => 'done',
      ({ code }) => code,
    )
  }

  it('that are jobs have the rights of their user, if the handler needs no session', async () => {
    for (const operation of inSpaces)
      for (const who of signedIn) {
        const { endpoint } = operation
        const job = { kind: 'job' as const, id: newId(), name: 'test', askedBy: people.accounts[who].id }
        const mayCall = statusByPermission(endpoint, who) < 400
        const expected =
          endpoint.needsSession || endpoint.caller === 'directory'
            ? 'Forbidden'
            : mayCall
              ? 'admitted'
              : 'RequesterMayNot'
        expect([operation.name, who, await admission(operation, onBehalf(job))]).toEqual([
          operation.name,
          who,
          expected,
        ])
      }
  })

  it('that are the system have all rights, and a directory those outside of apps, if the handler needs no session', async () => {
    const system = asSystem({ name: 'test' }, 'pendingRangesExpired')
    for (const operation of inSpaces)
      for (const caller of [system, directory])
        expect([operation.name, caller.kind, await admission(operation, caller)]).toEqual([
          operation.name,
          caller.kind,
          operation.endpoint.needsSession ||
          (caller.kind === 'directory'
            ? operation.endpoint.route.includes('{a}')
            : operation.endpoint.caller === 'directory')
            ? 'Forbidden'
            : 'admitted',
        ])
  })

  it('that are visitors have no rights, in apps and outside of them', async () => {
    const visitor = visitorCaller('お問い合わせ', { ip: '203.0.113.9', agent: null })
    for (const operation of inSpaces)
      expect([operation.name, await admission(operation, visitor)]).toEqual([operation.name, 'Forbidden'])
  })

  it('may not call operations outside of spaces that need an account', async () => {
    const visitor = visitorCaller('お問い合わせ', { ip: '203.0.113.9', agent: null })
    const system = asSystem({ name: 'test' }, 'pendingRangesExpired')
    const outside = operations.filter(
      ({ endpoint }) => !isOfSpace(endpoint) && endpoint.permission !== 'public',
    )
    expect(outside.length).toBeGreaterThan(20)
    for (const operation of outside)
      for (const caller of [{ ...system, origin: { ip: '::1', agent: null } }, directory, visitor])
        expect([operation.name, await admission(operation, caller)]).toEqual([operation.name, 'Unauthorized'])
  })
})

/** Signs the caller in again after calls that end or change the session. */
async function renewSession(who: Who): Promise<void> {
  const client = people.clients[who]
  client.cookies.clear()
  client.csrfToken = null
  if (who === 'nobody') return
  const password = 'ham sandwich on a rainy tuesday'
  ok(await client.post('/api/auth/login', { email: people.accounts[who].email, password }))
}

describe('requests with ids of another space', () => {
  /** The space of the stranger, in which the stranger has every right. */
  let own: Fixture
  beforeAll(async () => {
    const { stranger } = people.accounts
    own = await makeFixture(installation, { ...people, owner: stranger }, { members: false })
  })

  const nowhere = '0'.repeat(24)
  const allAs = (id: string) =>
    Object.fromEntries(Object.keys(shared.ids).map((kind) => [kind, id])) as Fixture['ids']
  const unknownIds = () => allAs(nowhere)
  const asStranger = (name: Name, path: Partial<Fixture>) => call(name, 'stranger', { ...own, people }, path)
  const routes = (part: string) =>
    all.filter(([, endpoint]) => endpoint.route.includes(part) && readsCookies(endpoint))

  async function expectSame(name: Name, foreign: Partial<Fixture>, unknown: Partial<Fixture>): Promise<void> {
    const [answer, reference] = [await asStranger(name, foreign), await asStranger(name, unknown)]
    expect([name, reference.status]).toEqual([name, 404])
    expect([name, answer.status, answer.text]).toEqual([name, 404, reference.text])
    expect(Object.keys(answer.headers).sort()).toEqual(Object.keys(reference.headers).sort())
  }

  it('get the same 404 as requests with an unknown space', async () => {
    for (const [name] of routes('{p}')) await expectSame(name, { p: shared.p }, { p: 'unknown' })
  })

  it('get the same 404 as requests with an unknown app', async () => {
    for (const [name] of routes('{a}')) await expectSame(name, { a: shared.a }, { a: 'unknown' })
  })

  it('get the same 404 as requests with an unknown model', async () => {
    for (const [name] of routes('{m}')) await expectSame(name, { m: shared.m }, { m: 'unknown' })
  })

  it('get the same 404 as requests with unknown object ids, and invalid ids get 400 or 404', async () => {
    const withId = routes('{id}').filter(([, { route }]) => route.includes('{p}'))
    expect(withId.length).toBeGreaterThan(10)
    for (const [name] of withId) {
      await expectSame(name, { ids: shared.ids }, { ids: unknownIds() })
      expect([400, 404]).toContain((await asStranger(name, { ids: allAs('x') })).status)
    }
  })

  it('get the same result from bulkPublish, bulkUnpublish and bulkDelete as unknown document ids', async () => {
    const url = `/api/project/${own.p}/app/${own.a}/model/${own.m}/doc`
    for (const action of ['bulkPublish', 'bulkUnpublish', 'bulkDelete']) {
      const answer = (id: string) => people.clients.stranger.post(`${url}/${action}`, { documentIds: [id] })
      const [foreign, unknown] = [await answer(shared.ids.doc), await answer(nowhere)]
      expect(ok(unknown).results).toEqual([{ _id: nowhere, success: false, code: 'NotFound' }])
      expect(foreign.text.replace(shared.ids.doc, nowhere)).toBe(unknown.text)
    }
  })

  it('leave a document and the numbers of CDN tokens and members of the other space unchanged', async () => {
    const { owner } = people
    const url = `/api/project/${shared.p}/app/${shared.a}/model/${shared.m}/doc/${shared.ids.doc}`
    expect(ok(await owner.client.get(url)).document).toMatchObject({
      title: '下書き',
      _sys: { version: 1, status: 'draft' },
    })
    expect(ok(await owner.client.get(`/api/project/${shared.p}/cdnToken`)).cdnTokens).toHaveLength(1)
    expect(ok(await owner.client.get(`/api/project/${shared.p}/members`)).members).toHaveLength(9)
  })
})

describe('the contract', () => {
  it('has exactly one implementation for every endpoint', () => {
    expect(operations.map(({ name }) => name).sort()).toEqual(Object.keys(endpoints).sort())
    for (const { name, endpoint } of operations) expect(endpoint).toBe(endpoints[name as Name])
    expect(new Set(all.map(([, { route }]) => route)).size).toBe(all.length)
  })

  it('requires an origin check for every public call except GETs, unless it reads no cookie', () => {
    for (const [name, endpoint] of all)
      if (!isSafe(endpoint) && endpoint.permission === 'public' && readsCookies(endpoint))
        expect([name, endpoint.csrf]).toEqual([name, 'origin'])
    expect(all.filter(([, endpoint]) => endpoint.csrf === 'origin').map(([name]) => name)).toEqual([
      'signup',
      'lookAtSignup',
      'finishSignup',
      'login',
      'confirmEmail',
      'forgotPassword',
      'lookAtReset',
      'resetPassword',
      'finishSignIn',
      'beginPasskeySignIn',
      'finishByPasskey',
      'resetSecondFactor',
      'lookAtInvitation',
      'beginSso',
      'finishSso',
    ])
  })

  it('reads no cookie only of these callers, and allows pages of other origins only uploads and forms', () => {
    const others = all.filter(([, endpoint]) => !readsCookies(endpoint) && endpoint.caller !== 'directory')
    const ofDirectory = all.filter(([, { caller }]) => caller === 'directory')
    expect(ofDirectory).toHaveLength(19)
    for (const [name, { route, cors = 'none', rate }] of ofDirectory)
      expect([name, route.split(' ')[1]?.startsWith('/scim/v2/{p}/'), cors, rate]).toEqual([
        name,
        true,
        'none',
        { address: 1200 },
      ])
    expect(others.map(([name, { caller, cors = 'none', rate }]) => [name, caller, cors, rate])).toEqual([
      ['submitForm', 'visitor', 'listed', { address: 60 }],
      ['getFormThanks', 'visitor', 'none', { address: 300 }],
      ['getUploadOffset', 'signedAddress', 'any', { address: 300 }],
      ['receiveUpload', 'signedAddress', 'any', { address: 300 }],
      ['answerOidc', 'identityProvider', 'none', { address: 300 }],
      ['answerSaml', 'identityProvider', 'none', { address: 300 }],
      ['getSamlMetadata', 'identityProvider', 'none', { address: 300 }],
    ])
  })

  it('is published as an OpenAPI 3.1 document with every operation', async () => {
    const document = ok(await installation.visitor().get('/api/openapi.json'))
    expect(document.openapi).toBe('3.1.0')
    expect(document.info).toMatchObject({ title: expect.any(String), version: expect.any(String) })
    const names: string[] = []
    for (const [path, operations] of Object.entries<Record<string, OperationObject>>(document.paths)) {
      expect(path).toMatch(/^\/(api|scim\/v2)\//)
      for (const [method, operation] of Object.entries(operations)) {
        names.push(operation.operationId)
        const endpoint: Endpoint = endpoints[operation.operationId as Name]
        expect(`${method.toUpperCase()} ${path}`).toBe(endpoint.route)
        expect(operation.summary.length).toBeGreaterThan(5)
        const inPath = operation.parameters.filter((parameter) => parameter.in === 'path')
        expect(inPath.map((parameter) => parameter.name)).toEqual(
          [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
        )
        expect(inPath.every((parameter) => parameter.required)).toBe(true)
        expect(operation.requestBody !== undefined).toBe(endpoint.body !== undefined)
        const { kind } = responseOf(endpoint)
        const success = operation.responses[successStatuses(endpoint)[0]]
        const [content] = Object.values<{ schema: unknown }>(success.content ?? {})
        if (['none', 'redirect'].includes(kind) || successStatuses(endpoint)[0] === 204)
          expect(content).toBeUndefined()
        else expect(content?.schema).toBeTypeOf('object')
        expect(operation.responses.default).toBeDefined()
        for (const scheme of operation.security.flatMap((one) => Object.keys(one)))
          expect(Object.keys(document.components.securitySchemes)).toContain(scheme)
      }
    }
    expect(names.sort()).toEqual(Object.keys(endpoints).sort())
    checkSchemas(document, document)
  })
})

interface OperationObject {
  operationId: string
  summary: string
  parameters: { name: string; in: string; required: boolean }[]
  requestBody?: unknown
  // biome-ignore lint/suspicious/noExplicitAny: read by its path
  responses: any
  security: Record<string, string[]>[]
}

/**
 * Checks that every reference resolves, every `type` is a type of JSON Schema or `apiKey`, and every `required` is a
 * list of names.
 */
// biome-ignore lint/suspicious/noExplicitAny: the document is walked without knowing its shape
function checkSchemas(node: any, document: any): void {
  if (typeof node !== 'object' || node === null) return
  if (typeof node.$ref === 'string') {
    const target = node.$ref
      .slice(2)
      .split('/')
      .reduce((at: Record<string, unknown>, key: string) => at?.[key], document)
    expect(target, node.$ref).toBeDefined()
  }
  const types = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null', 'apiKey', 'http']
  if (typeof node.type === 'string') expect(types).toContain(node.type)
  if (Array.isArray(node.required))
    expect(node.required.every((name: unknown) => typeof name === 'string')).toBe(true)
  for (const child of Object.values(node)) checkSchemas(child, document)
}
