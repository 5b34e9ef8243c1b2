import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeAudit } from '#server/access/audit.ts'
import { spaceScope } from '#server/db/scope.ts'
import type { AuditEntry } from '#shared/contract/audit-log.ts'
import {
  createAccount,
  createApp,
  createMember,
  createModel,
  createSpace,
  type TestAccount,
  testPassword,
} from '#test/factories.ts'
import { runNow } from '#test/run-now.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { purgeAuditLogJob, sealAuditLogJob } from './audit-log.jobs.ts'
import { sealEntries } from './seals.ts'

let installation: TestInstallation
let admin: TestAccount
let space: { uid: string; url: string }
let scope: ReturnType<typeof spaceScope>
const db = () => installation.database.kysely
beforeAll(async () => {
  installation = await startInstallation()
  admin = await createAccount(installation)
  space = await createSpace(admin.client)
  const row = db().selectFrom('space').select('id').where('uid', '=', space.uid)
  scope = spaceScope((await row.executeTakeFirstOrThrow()).id)
})
afterAll(() => installation?.close())

/** Seals everything, waiting until the server's open transactions have ended. */
const sealAll = (url = space.url) =>
  expect
    .poll(async () => {
      await sealEntries(db())
      return ok(await admin.client.get(`${url}/auditLog/verify`)).unsealed
    })
    .toBe(0)

const list = async (query = ''): Promise<AuditEntry[]> =>
  ok(await admin.client.get(`${space.url}/auditLog?${query}`)).auditLogs
const newest = async () => (await list('limit=1'))[0] as AuditEntry

describe('an entry', () => {
  it('names an actor without a name by their email address, in lists and in exported files', async () => {
    const nameless = await createAccount(installation, { name: '' })
    const own = await createSpace(nameless.client)
    const entries = async (): Promise<AuditEntry[]> =>
      ok(await nameless.client.get(`${own.url}/auditLog`)).auditLogs
    expect((await entries())[0]?.actor.name).toBe(nameless.email)
    const { invitation } = ok(await nameless.client.post(`${own.url}/invitation`, { invitation: {} }))
    const code = new URL(invitation.url).searchParams.get('code')
    const guest = await createAccount(installation, { name: '' })
    ok(await guest.client.post('/api/invitation/accept', { code }))
    expect((await entries())[0]).toMatchObject({
      act: 'member.joinSpace',
      actor: { name: guest.email },
      object: { name: guest.email },
    })
    ok(await guest.client.post(`${own.url}/members/leave`))
    expect((await entries())[0]).toMatchObject({
      act: 'member.leaveSpace',
      actor: { name: guest.email },
      object: { name: guest.email },
    })
    // Entries of older versions can lack a name and are immutable. Responses contain the email address instead.
    const { id } = await db()
      .selectFrom('space')
      .select('id')
      .where('uid', '=', own.uid)
      .executeTakeFirstOrThrow()
    const person = { kind: 'account' as const, accountId: guest.id, name: '' }
    const before = { act: 'member.joinSpace', outcome: 'done', actor: person, details: {} } as const
    await writeAudit(db(), spaceScope(id), {
      ...before,
      object: { kind: 'member', id: 'f'.repeat(24), name: '' },
    })
    await writeAudit(db(), spaceScope(id), { ...before, object: { kind: 'account', id: guest.id, name: '' } })
    expect((await entries()).slice(0, 2)).toMatchObject([
      { actor: { name: guest.email }, object: { name: guest.email } },
      { actor: { name: guest.email }, object: { name: '' } },
    ])
    const file = (await nameless.client.get(`${own.url}/auditLog/export?format=csv`)).text
    // The guest's account has an empty name, so the entry of the logout stores the email address.
    ok(await guest.client.post('/api/auth/logout'))
    const logout = db().selectFrom('audit_entry').selectAll().where('actor_id', '=', guest.id)
    expect(await logout.orderBy('id', 'desc').executeTakeFirst()).toMatchObject({
      actor_name: guest.email,
      object_name: guest.email,
    })
    expect(file.split(guest.email).length).toBeGreaterThanOrEqual(7)
  })

  it('contains the actor, the action, the object, the IP address, the user agent and the changes', async () => {
    expect((await list()).at(-1)).toMatchObject({ act: 'space.create', object: { _id: space.uid } })
    ok(
      await admin.client.put(
        space.url,
        { project: { name: '新しい名前' } },
        { 'user-agent': 'Test\u0000/1' },
      ),
    )
    expect(await newest()).toEqual({
      _id: expect.stringMatching(/^[0-9a-f]{24}$/),
      at: expect.any(String),
      act: 'space.update',
      outcome: 'done',
      actor: { kind: 'account', _id: admin.id, name: expect.any(String) },
      ip: admin.client.ip,
      userAgent: 'Test /1',
      object: { kind: 'space', _id: space.uid, name: '新しい名前' },
      details: { changes: [{ key: 'name', before: expect.any(String), after: '新しい名前' }] },
    })
    expect(Math.abs(Date.parse((await newest()).at) - Date.now())).toBeLessThan(60_000)
  })

  it('lists the uids of changed fields of a document, and the number of documents in a bulk request', async () => {
    const model = await createModel(admin.client, await createApp(admin.client, space))
    const { document } = ok(await admin.client.post(`${model.url}/doc`, { document: { title: '秘密の題' } }))
    expect(await newest()).toMatchObject({
      act: 'document.create',
      object: { _id: document._id, name: '秘密の題' },
    })
    const doc = { title: '題', _sys: { version: 1 } }
    ok(await admin.client.put(`${model.url}/doc/${document._id}`, { doc, type: 'PUBLISH' }))
    expect(await newest()).toMatchObject({
      act: 'document.publish',
      details: {
        changes: [
          { key: 'version', before: 1, after: 2 },
          { key: 'status', before: 'draft', after: 'published' },
          { key: 'fields', after: 'title' },
        ],
      },
    })
    const documentIds = [document._id, 'f'.repeat(24)]
    ok(await admin.client.post(`${model.url}/doc/bulkUnpublish`, { documentIds }))
    expect((await newest()).details.items).toEqual({ count: 2, failed: 1, ids: documentIds })
  })

  it('is written for each publication, even if a document is created and published in one request', async () => {
    const app = await createApp(admin.client, space)
    const model = await createModel(admin.client, app)
    const body = { document: { title: '題' }, type: 'PUBLISH' }
    const { document } = ok(await admin.client.post(`${model.url}/doc`, body))
    const doc = { title: '次の題', _sys: { version: 1 } }
    ok(await admin.client.put(`${model.url}/doc/${document._id}`, { doc, type: 'PUBLISH' }))
    const { auditLogs } = ok(await admin.client.get(`${space.url}/auditLog?object=${document._id}`))
    const place = { app: app.uid, model: model.uid }
    const actor = { kind: 'account', _id: admin.id, name: expect.any(String) }
    const entries = auditLogs.map(({ act, actor, ip, object, details }: Record<string, unknown>) => {
      return { act, actor, ip, object, details }
    })
    const by = { actor, ip: admin.client.ip }
    const object = { kind: 'document', _id: document._id, name: '題' }
    const changes = (...list: object[]) => ({ ...place, changes: list })
    expect(entries).toEqual([
      {
        act: 'document.publish',
        ...by,
        object: { ...object, name: '次の題' },
        details: changes({ key: 'version', before: 1, after: 2 }, { key: 'fields', after: 'title' }),
      },
      {
        act: 'document.publish',
        ...by,
        object,
        details: changes({ key: 'version', after: 1 }, { key: 'status', after: 'published' }),
      },
      { act: 'document.create', ...by, object, details: changes({ key: 'version', after: 1 }) },
    ])
  })

  it('contains no token value and no password', async () => {
    const { cdnToken } = ok(
      await admin.client.post(`${space.url}/cdnToken`, { data: { name: '公式サイト' } }),
    )
    const { cdnToken: second } = ok(await admin.client.post(`${space.url}/cdnToken/${cdnToken._id}/refresh`))
    ok(
      await admin.client.put(`${space.url}/cdnToken/${cdnToken._id}`, {
        data: { name: '新サイト', apps: [] },
      }),
    )
    expect(await newest()).toMatchObject({
      act: 'token.update',
      details: {
        changes: [
          { key: 'name', before: '公式サイト', after: '新サイト' },
          { key: 'apps', after: [] },
        ],
      },
    })
    const login = { email: admin.email, password: testPassword }
    ok(await installation.visitor().post('/api/auth/login', login))
    const stored = JSON.stringify(await db().selectFrom('audit_entry').selectAll().execute())
    for (const secret of [cdnToken.token, second.token, testPassword]) expect(stored).not.toContain(secret)
  })

  it('is written once for requests with one idempotency key, and not for a dry run or invalid input', async () => {
    const model = await createModel(admin.client, await createApp(admin.client, space))
    const before = (await list('limit=100')).length
    const send = () =>
      admin.client.post(`${model.url}/doc`, { document: { title: '一度' } }, { 'idempotency-key': 'once' })
    expect([ok(await send()).document._id, (await list('limit=100')).length]).toEqual([
      ok(await send()).document._id,
      before + 1,
    ])
    ok(await admin.client.put(`${model.url}`, { data: { name: '試し' }, dryRun: true }))
    expect((await list('limit=100')).length).toBe(before + 1)
    expect((await admin.client.post(`${model.url}/doc`, { document: {} })).status).toBe(400)
    expect((await list('limit=100')).length).toBe(before + 1)
  })

  it('is written for requests that are rejected for missing rights or a wrong password', async () => {
    const member = await createMember(installation, space)
    expect((await member.client.delete(space.url)).status).toBe(403)
    const refused = await list('limit=100&outcome=refused')
    expect(refused).toHaveLength(1)
    expect(refused[0]).toMatchObject({
      act: 'space.delete',
      outcome: 'Forbidden',
      actor: { _id: member.id },
      details: { route: 'DELETE /api/project/{p}' },
    })
    const visitor = installation.visitor()
    const wrong = await visitor.post('/api/auth/login', { email: member.email, password: 'not my password' })
    expect(wrong.status).toBe(401)
    // The entry is in the installation's log, because the visitor is not in a space yet.
    const last = db().selectFrom('audit_entry').selectAll().where('space_id', '=', 0).orderBy('id', 'desc')
    expect(await last.executeTakeFirstOrThrow()).toMatchObject({
      act: 'account.login',
      outcome: 'IncorrectPassword',
      actor_kind: 'nobody',
      object_id: member.id,
      ip: visitor.ip,
    })
    // The entry is also in the logs of the account's spaces.
    expect(await newest()).toMatchObject({
      act: 'account.login',
      outcome: 'IncorrectPassword',
      ip: visitor.ip,
    })
    // Guessing the password in a signed-in browser is logged as well.
    const guess = await member.client.post(`/api/account/${member.id}/password`, {
      password: 'not my password',
      newPassword: 'a newt in a wet meadow',
    })
    expect(guess.body.code).toBe('IncorrectPassword')
    expect(await newest()).toMatchObject({
      act: 'account.changePassword',
      outcome: 'IncorrectPassword',
      actor: { _id: member.id },
    })
    expect((await member.client.get(`${space.url}/auditLog`)).status).toBe(403)
    const ofAll = await createAccount(installation, { isAdmin: true })
    const installationLog = ok(await ofAll.client.get('/api/admin/auditLog?kind=account&outcome=refused'))
    expect(installationLog.auditLogs).toHaveLength(2)
    expect((await member.client.get('/api/admin/auditLog')).status).toBe(403)
    // Successes after failed attempts are in the space's log as well.
    ok(
      await member.client.post(`/api/account/${member.id}/password`, {
        password: testPassword,
        newPassword: 'a newt in a wet meadow',
      }),
    )
    ok(await visitor.post('/api/auth/login', { email: member.email, password: 'a newt in a wet meadow' }))
    const [login, change] = await list('limit=2')
    expect([login, change]).toMatchObject([
      {
        act: 'account.login',
        outcome: 'done',
        actor: { _id: member.id },
        ip: visitor.ip,
        details: { signedInBy: 'password' },
      },
      { act: 'account.changePassword', outcome: 'done', object: { _id: member.id } },
    ])
  })

  it('is not written for every rejected request from one IPv6 network', async () => {
    const visitor = installation.visitor()
    const email = 'nobody-has-this-address@example.com'
    for (let n = 0; n < 80; n++) {
      visitor.ip = `2001:db8:7:${n}::1`
      await visitor.post('/api/auth/login', { email, password: 'guess guess guess' })
    }
    const entries = db().selectFrom('audit_entry').select('outcome').where('ip', 'like', '2001:db8:7:%')
    const outcomes = (await entries.execute()).map(({ outcome }) => outcome)
    expect(outcomes).toContain('TooManyRequests')
    // The limit is 30 entries a minute, and a new minute may begin in the meantime.
    expect(outcomes.length).toBeLessThanOrEqual(60)
  })

  it('is written when a member joins a space or an app by invitation, or leaves it', async () => {
    const guest = await createAccount(installation)
    const app = await createApp(admin.client, space)
    const join = async (invitation: object) => {
      const { url } = ok(await admin.client.post(`${space.url}/invitation`, { invitation })).invitation
      const code = new URL(url).searchParams.get('code')
      ok(await guest.client.post('/api/invitation/accept', { code }))
      return newest()
    }
    expect(await join({})).toMatchObject({
      act: 'member.joinSpace',
      actor: { _id: guest.id },
      object: { kind: 'member', name: guest.name },
      details: { by: 'invitation', changes: [{ key: 'roleId', after: 'pjt-Member' }] },
    })
    expect(await join({ app: app.uid, appRoleId: 'app-Author' })).toMatchObject({
      act: 'member.join',
      details: { app: app.uid, changes: [{ key: 'appRoleId', after: 'app-Author' }] },
    })
    ok(await guest.client.post(`${app.url}/members/leave`))
    expect((await newest()).act).toBe('member.leave')
    ok(await guest.client.post(`${space.url}/members/leave`))
    expect(await newest()).toMatchObject({ act: 'member.leaveSpace', object: { name: guest.name } })
  })
})

describe('the list', () => {
  it('is filtered by user, object, time and text, and returned in pages', async () => {
    const other = await createMember(installation, space, 'pjt-Admin')
    const begun = new Date().toISOString()
    const { tag } = ok(await other.client.post(`${space.url}/tags`, { data: { name: '５０％オフ_Sale' } }))
    ok(await admin.client.put(`${space.url}/tags/${tag._id}`, { data: { name: 'セール' } }))
    const acts = async (query: string) => (await list(query)).map(({ act }) => act)
    expect(await acts(`person=${other.id}`)).toEqual(['tag.create'])
    expect(await acts(`object=${tag._id}`)).toEqual(['tag.update', 'tag.create'])
    expect(await acts('kind=tag')).toEqual(['tag.update', 'tag.create'])
    expect(await acts('search=%25')).toEqual([])
    expect(await acts(`search=${encodeURIComponent('オフ_sale')}`)).toEqual(['tag.create'])
    expect(await acts(`search=${encodeURIComponent('セール')}&person=${admin.id}`)).toEqual(['tag.update'])
    expect(await acts(`from=${begun}&kind=space`)).toEqual([])
    expect((await acts(`from=${begun}`)).sort()).toEqual(['tag.create', 'tag.update'])
    expect((await acts(`to=${begun}`)).includes('tag.create')).toBe(false)
    const all = (await list('limit=100')).map(({ _id }) => _id)
    const pages: string[] = []
    for (let next: string | null = 'f'.repeat(24); next !== null; ) {
      const page = ok(await admin.client.get(`${space.url}/auditLog?limit=7&before=${next}`))
      pages.push(...page.auditLogs.map(({ _id }: AuditEntry) => _id))
      next = page.next
    }
    expect(pages).toEqual(all)
    expect(ok(await admin.client.get(`${space.url}/auditLog`)).total).toBe(all.length)
    for (const query of ['kind=unknown', 'from=yesterday', 'limit=1000', 'before=x', 'sort=at'])
      expect([query, (await admin.client.get(`${space.url}/auditLog?${query}`)).status]).toEqual([query, 400])
  })

  it('returns an empty page with `searchedTo` if the match is older than the 5,000 newest entries', async () => {
    const busy = await createSpace(admin.client)
    const { id } = await db()
      .selectFrom('space')
      .select('id')
      .where('uid', '=', busy.uid)
      .executeTakeFirstOrThrow()
    await sql`INSERT INTO audit_entry (space_id, act, actor_kind, object_kind, object_name)
      SELECT ${id}, 'document.save', 'nobody', 'document', 'n' || n FROM generate_series(1, 5200) AS n`.execute(
      db(),
    )
    const url = `${busy.url}/auditLog?search=space.create`
    const first = ok(await admin.client.get(url))
    expect([first.auditLogs, first.searchedTo]).toEqual([[], expect.any(String)])
    const second = ok(await admin.client.get(`${url}&before=${first.next}`))
    expect([second.auditLogs.length, second.next, second.searchedTo]).toEqual([1, null, null])
  })

  it('is exported as lines of JSON, and as CSV without formulas', async () => {
    ok(await admin.client.post(`${space.url}/tags`, { data: { name: '=1+1' } }))
    const json = await admin.client.get(`${space.url}/auditLog/export?format=ndjson`)
    const lines = json.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines[0]).toMatchObject({ act: 'auditLog.export' })
    expect(lines.slice(1)).toEqual((await list('limit=100')).slice(1))
    const csv = await admin.client.get(`${space.url}/auditLog/export?format=csv&kind=tag`)
    expect(csv.headers['content-disposition']).toContain('audit-log.csv')
    expect(csv.text.startsWith('\ufeff_id,at,act,')).toBe(true)
    expect(csv.text).toContain(",'=1+1,")
    expect(csv.text).not.toContain('space.update')
    // The action is labelled as in the admin UI, in the user's language.
    const [, row = ''] = csv.text.split('\r\n')
    expect(row.split(',')[2]).toBe('タグを作成')
    const { id, client } = admin
    ok(await client.put(`/api/account/${id}`, { data: { language: 'en' } }))
    const english = await client.get(`${space.url}/auditLog/export?format=csv&kind=tag`)
    expect(english.text.split('\r\n')[1]?.split(',')[2]).toBe('Created a tag')
    ok(await client.put(`/api/account/${id}`, { data: { language: 'ja' } }))
  })
})

describe('stored entries', () => {
  const verify = async () => ok(await admin.client.get(`${space.url}/auditLog/verify`))
  /** Executes a statement without triggers, as an administrator of the database could. */
  const behindTheBack = (statement: ReturnType<typeof sql>) =>
    db()
      .transaction()
      .execute(async (tx) => {
        const tables = ['audit_entry', 'audit_seal'].map((name) => sql.table(name))
        for (const table of tables) await sql`ALTER TABLE ${table} DISABLE TRIGGER USER`.execute(tx)
        await statement.execute(tx)
        for (const table of tables) await sql`ALTER TABLE ${table} ENABLE TRIGGER USER`.execute(tx)
      })

  it('are protected by triggers from UPDATE, DELETE and TRUNCATE', async () => {
    await sealAll()
    const statements = [
      sql`UPDATE audit_entry SET act = 'x.y'`,
      sql`DELETE FROM audit_entry`,
      sql`TRUNCATE audit_entry`,
      sql`UPDATE audit_seal SET hash = ''`,
      sql`DELETE FROM audit_seal`,
      sql`TRUNCATE audit_seal`,
      sql`INSERT INTO audit_cut (space_id, number, entries, days) VALUES (${scope.spaceId}, 1, 1, 30)`,
      sql`INSERT INTO audit_cut (space_id, number, entries, days, created_at) VALUES (${scope.spaceId}, 1, 1, 30, now() + interval '1 year')`,
      sql`INSERT INTO audit_cut (space_id, number, entries, days) VALUES (${scope.spaceId}, 1, 1, 0)`,
    ]
    for (const statement of statements)
      await expect(statement.execute(db())).rejects.toThrow(/audit|young|cut/i)
  })

  it('are not sealed while an older transaction is open, and are sealed after it has ended', async () => {
    const before = await verify()
    expect(before).toMatchObject({ problem: null, head: expect.stringMatching(/^[0-9a-f]{64}$/) })
    // A transaction is open while sealing: its entry and later ones wait for the next seal.
    await db()
      .transaction()
      .execute(async (tx) => {
        await sql`INSERT INTO audit_entry (space_id, act, actor_kind, object_kind)
          VALUES (${scope.spaceId}, 'tag.create', 'nobody', 'tag')`.execute(tx)
        ok(await admin.client.post(`${space.url}/tags`, { data: { name: '後から' } }))
        await sealEntries(db())
        expect(await verify()).toMatchObject({ entries: before.entries, problem: null })
      })
    expect(await runNow(installation, sealAuditLogJob)).toBe('done')
    await sealAll()
    const after = await verify()
    expect(after.entries).toBeGreaterThanOrEqual(before.entries + 2)
    expect(after).toMatchObject({ problem: null, released: 0 })
    expect(after.head).not.toBe(before.head)
  })

  it('are verified, and changes that bypassed the triggers are reported', async () => {
    const { seals } = await verify()
    const victim = sql`(SELECT max(id) FROM audit_entry WHERE space_id = ${scope.spaceId} AND act = 'tag.create' AND xact <
      (SELECT to_xact FROM audit_sealed))`
    await behindTheBack(sql`UPDATE audit_entry SET actor_name = 'somebody else' WHERE id = ${victim}`)
    expect((await verify()).problem).toMatchObject({ seal: expect.any(Number), kind: 'entries' })
    await behindTheBack(sql`UPDATE audit_entry SET actor_name = NULL WHERE id = ${victim}`)
    const { rows } = await sql<{ row: object }>`
      SELECT to_jsonb(audit_entry) AS row FROM audit_entry WHERE id = ${victim}`.execute(db())
    await behindTheBack(sql`DELETE FROM audit_entry WHERE id = ${victim}`)
    expect((await verify()).problem).toMatchObject({ kind: 'missing' })
    await sql`INSERT INTO audit_entry SELECT * FROM jsonb_populate_record(NULL::audit_entry, ${JSON.stringify(rows[0]?.row)})`.execute(
      db(),
    )
    // A forged older entry.
    await behindTheBack(sql`INSERT INTO audit_entry (space_id, xact, act, actor_kind, object_kind)
      VALUES (${scope.spaceId}, 1, 'tag.create', 'nobody', 'tag')`)
    expect((await verify()).problem).toMatchObject({ seal: 1, kind: 'entries' })
    await behindTheBack(sql`DELETE FROM audit_entry WHERE space_id = ${scope.spaceId} AND xact = 1`)
    expect(seals).toBeGreaterThan(1)
    await behindTheBack(sql`DELETE FROM audit_seal WHERE space_id = ${scope.spaceId} AND number = 1`)
    expect((await verify()).problem).toMatchObject({ kind: 'chain' })
  })

  it("are deleted after the space's retention period, and the deletion is logged", async () => {
    const old = await createSpace(admin.client)
    const { id } = await db()
      .selectFrom('space')
      .select('id')
      .where('uid', '=', old.uid)
      .executeTakeFirstOrThrow()
    await sealAll(old.url)
    await behindTheBack(
      sql`UPDATE audit_seal SET created_at = now() - interval '40 days' WHERE space_id = ${id}`,
    )
    expect(await runNow(installation, purgeAuditLogJob)).toBe('done')
    const url = `${old.url}/auditLog`
    expect(ok(await admin.client.get(url)).total).toBe(1)
    ok(await admin.client.put(`${old.url}/security`, { data: { auditDays: 30 } }))
    expect(await runNow(installation, purgeAuditLogJob)).toBe('done')
    const { auditLogs, total } = ok(await admin.client.get(url))
    expect(auditLogs.map(({ act }: AuditEntry) => act)).toEqual(['auditLog.release', 'security.update'])
    expect(total).toBe(2)
    await sealAll(old.url)
    const verified = ok(await admin.client.get(`${url}/verify`))
    expect(verified).toMatchObject({ problem: null, released: 1, entries: 2 })
  })
})
