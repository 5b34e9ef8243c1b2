import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAccount, createSpace, type TestAccount } from '#test/factories.ts'
import { insertForm, insertFormFile, insertSubmission } from '#test/forms.ts'
import { runNow } from '#test/run-now.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { purgeFormsJob } from './purge.jobs.ts'

let installation: TestInstallation
let admin: TestAccount
let space: { uid: string; url: string }
let spaceId: number
beforeAll(async () => {
  installation = await startInstallation()
  admin = await createAccount(installation)
})
beforeEach(async () => {
  space = await createSpace(admin.client)
  const row = db().selectFrom('space').select('id').where('uid', '=', space.uid)
  spaceId = (await row.executeTakeFirstOrThrow()).id
})
afterAll(() => installation?.close())

const db = () => installation.database.kysely
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)
/** Runs the job. Its row is deleted if it succeeds. */
async function purge(): Promise<void> {
  await expect(runNow(installation, purgeFormsJob)).rejects.toThrow('no result')
  const rows = db().selectFrom('job').select('id').where('name', '=', purgeFormsJob.name)
  expect(await rows.execute()).toEqual([])
}
const left = async () =>
  (await db().selectFrom('form_submission').select('id').where('space_id', '=', spaceId).execute())
    .map(({ id }) => id)
    .toSorted()
const entries = async () =>
  (await db().selectFrom('audit_entry').selectAll().where('space_id', '=', spaceId).orderBy('id').execute())
    .filter(({ act }) => act.endsWith('.purge'))
    .map(({ act, actor_name, details }) => [
      act,
      actor_name,
      (details.items as { ids: string[] }).ids.toSorted(),
    ])

describe('the purge of forms', () => {
  it('deletes submissions in every state after the retention of their form', async () => {
    const [limited, unlimited] = [
      await insertForm(db(), spaceId, { retentionDays: 10 }),
      await insertForm(db(), spaceId),
    ]
    const add = (id: string, days: number, more = {}) =>
      insertSubmission(db(), spaceId, id, { receivedAt: daysAgo(days), ...more })
    const kept = [await add(limited.id, 9), await add(unlimited.id, 5000)]
    const old = [
      await add(limited.id, 13),
      await add(limited.id, 12, { state: 'spam' }),
      await add(limited.id, 11, { deletedAt: daysAgo(1) }),
    ]
    await insertFormFile(installation, spaceId, { formId: limited.id, id: old[0] ?? '' })
    await purge()
    expect(await left()).toEqual(kept.toSorted())
    expect(await db().selectFrom('form_file').select('id').where('space_id', '=', spaceId).execute()).toEqual(
      [],
    )
    expect(await entries()).toEqual([['submission.purge', 'forms.purge', old.toSorted()]])
    await purge()
    expect(await left()).toEqual(kept.toSorted())
  })

  it('deletes submissions after 30 days in the trash, in batches', async () => {
    const { id } = await insertForm(db(), spaceId)
    const kept = [
      await insertSubmission(db(), spaceId, id, { deletedAt: daysAgo(29) }),
      await insertSubmission(db(), spaceId, id),
    ]
    await installation.database.pool.query(
      `INSERT INTO form_submission (space_id, id, form_id, "values", language, deleted_at)
       SELECT $1, lpad(to_hex(n), 24, '0'), $2, '[]', 'ja', now() - interval '31 days' FROM generate_series(1, 1100) n`,
      [spaceId, id],
    )
    await purge()
    expect(await left()).toEqual(kept.toSorted())
    expect(await entries()).toHaveLength(3)
  })

  it('deletes forms after 30 days in the trash with their submissions, unless they were restored', async () => {
    const forms = [
      await insertForm(db(), spaceId, { deletedAt: daysAgo(31) }),
      await insertForm(db(), spaceId, { deletedAt: daysAgo(29) }),
      await insertForm(db(), spaceId, { deletedAt: daysAgo(31) }),
    ]
    for (const { id } of forms) for (let n = 0; n < 3; n++) await insertSubmission(db(), spaceId, id)
    ok(await admin.client.post(`${space.url}/form/${forms[2]?.id}:restore`))
    await purge()
    const rows = await db().selectFrom('form').select('id').where('space_id', '=', spaceId).execute()
    expect(rows.map(({ id }) => id).toSorted()).toEqual([forms[1]?.id, forms[2]?.id].toSorted())
    expect(await left()).toHaveLength(6)
    expect(await entries()).toEqual([['form.purge', 'forms.purge', [forms[0]?.id]]])
  })

  it('deletes all forms of a space 30 days after its deletion', async () => {
    const { id } = await insertForm(db(), spaceId)
    await insertSubmission(db(), spaceId, id)
    ok(await admin.client.delete(space.url))
    await purge()
    expect(await left()).toHaveLength(1)
    await sql`UPDATE space SET deleted_at = now() - interval '31 days' WHERE id = ${spaceId}`.execute(db())
    await purge()
    expect(await left()).toEqual([])
  })
})
