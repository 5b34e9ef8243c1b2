/** @module-tag full */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { NewField } from '#shared/contract/move-updates.ts'
import { createMember } from '#test/factories.ts'
import { rescuedFrom } from '#test/newt-stand-in/archive.ts'
import { ids } from '#test/newt-stand-in/sample-space.ts'
import { addContent, idOf } from '#test/newt-stand-in/space.ts'
import { runWaiting } from '#test/run-now.ts'
import { ok } from '#test/server.ts'
import { changedAt as at, type MovedApp, Movers } from '#test/updated-move.ts'
import { importMoveJob, undoMoveJob } from '../moves.jobs.ts'

let movers: Movers
let app: MovedApp
beforeAll(async () => {
  movers = await Movers.start()
})
afterAll(() => movers?.installation.close())
beforeEach(async () => {
  app = await movers.moveIn()
})

const typesOf = (fields: { uid: string; type: string }[]) => fields.map(({ uid, type }) => [uid, type])

/** Adds to Newt a model with a shop that references another shop, and fields of several types to existing models. */
function growThere(): void {
  addContent(app.newt, 'shop', {
    id: idOf(0x6001),
    createdAt: at,
    draft: { name: '本店', opened: '2026-01-01T00:00:00.000Z', seats: 12, owner: { $ref: ids.author } },
  })
  addContent(app.newt, 'shop', {
    id: idOf(0x6002),
    createdAt: at,
    draft: { name: '支店', seats: 4, near: { $ref: idOf(0x6001) } },
  })
  app.editThere('author', ids.author, {
    shop: { $ref: idOf(0x6001) },
    links: [
      { label: '地図', href: 'https://example.com/', _id: idOf(0x9201) },
      { label: '予約', href: 'https://example.com/b', _id: idOf(0x9202) },
    ],
    age: 41,
  })
  app.editThere('article', ids.everything, {
    customs: [
      { label: '1', note: '増えた項目', _id: idOf(0x9001) },
      { label: '2', _id: idOf(0x9002) },
    ],
  })
}

describe('an update of an imported app', () => {
  it('creates new models and fields with recognised types, and undoing the migration deletes all documents', async () => {
    growThere()
    const second = await rescuedFrom(app.newt)
    const id = await app.upload(second, app.origin)
    expect(await app.getMove(id)).toMatchObject({ state: 'planned', counts: { documents: 2, assets: 0 } })
    const found = await app.additionsOf(id)
    expect(found.models.map(({ from, takes }) => [from, takes])).toEqual([['shop', true]])
    const described = (fields: NewField[]) =>
      fields.map(({ from, field, takes }) => [from, field.type, takes])
    expect(described(found.models[0]?.fields ?? [])).toEqual([
      ['name', 'TEXT', true],
      ['opened', 'DATE', true],
      ['seats', 'NUMBER', true],
      ['near', 'REFERENCE', true],
      ['owner', 'REFERENCE', true],
    ])
    expect(found.parts.map(({ kind, uid, fields }) => [kind, uid, ...described(fields)])).toEqual([
      ['model', 'author', ['shop', 'REFERENCE', true], ['links', 'CUSTOM', true], ['age', 'NUMBER', true]],
      ['customType', 'customs', ['note', 'TEXT', true]],
    ])
    expect((await app.getUpdate(id)).changes.newModels).toEqual([])
    // Nothing is created before the update starts.
    expect((await movers.admin.client.get(app.modelUrl('shop'))).status).toBe(404)

    expect(await app.apply(id)).toMatchObject({ state: 'accepted', report: { documents: 4, problems: [] } })
    const shop = await app.getModel('shop')
    expect(shop).toMatchObject({ documentCount: 2, publishedCount: 2 })
    expect(await app.read('shop', idOf(0x6002))).toMatchObject({ name: '支店', seats: 4, near: idOf(0x6001) })
    expect(await app.read('author', ids.author)).toMatchObject({
      shop: idOf(0x6001),
      age: 41,
      links: [{ label: '地図', href: 'https://example.com/' }, { label: '予約' }],
    })
    expect((await app.read('article', ids.everything)).customs[0]).toMatchObject({ note: '増えた項目' })
    const after = await app.additionsOf(id)
    expect([...after.models, ...after.parts].flatMap(({ fields }) => fields)).toHaveLength(9)
    for (const { outcome } of [...after.models, ...after.parts].flatMap(({ fields }) => fields as NewField[]))
      expect(outcome).toBe('made')
    expect(await app.unexplained(second)).toEqual([])

    // The additions exist now, so the same archive has no additions.
    const again = await app.upload(second, app.origin)
    expect(await app.getMove(again)).toMatchObject({ state: 'accepted' })
    expect((await app.additionsOf(again)).parts).toEqual([])
    // Undoing the move also deletes the documents that its update created.
    ok(await movers.admin.client.post(app.moveUrl(app.origin, '/undo')))
    await runWaiting(movers.installation, undoMoveJob)
    const left = await movers.installation.database.pool.query(
      'SELECT count(*)::int AS count FROM document JOIN space ON space.id = space_id WHERE uid = $1',
      [app.space.uid],
    )
    expect(left.rows).toEqual([{ count: 0 }])
  })

  it('skips deselected models and fields, and creates a field with the chosen type', async () => {
    const { client } = movers.admin
    growThere()
    const id = await app.update()
    const { parts } = await app.additionsOf(id)
    const age = parts[0]?.fields.find(({ from }) => from === 'age')
    const asText = age?.choices.findIndex(({ settings }) => settings.type === 'TEXT') ?? -1
    expect(asText).toBeGreaterThan(0)
    const wrong = {
      models: [{ from: 'nowhere', takes: false }],
      fields: [{ kind: 'model', uid: 'author', from: 'age', choice: 99 }],
    }
    const refused = await client.put(app.moveUrl(id, '/changes'), { data: wrong })
    expect([refused.status, refused.body.issues?.map(({ path }: { path: string }) => path)]).toEqual([
      400,
      ['data.models.0', 'data.fields.0'],
    ])
    const data = {
      models: [{ from: 'shop', takes: false }],
      fields: [
        { kind: 'model', uid: 'author', from: 'links', takes: false },
        { kind: 'model', uid: 'author', from: 'age', choice: asText },
      ],
    }
    ok(await client.put(app.moveUrl(id, '/changes'), { data }))
    expect(await app.apply(id)).toMatchObject({ state: 'accepted' })
    expect((await client.get(app.modelUrl('shop'))).status).toBe(404)
    const author = await app.getModel('author')
    expect(typesOf(author.fields)).toEqual([
      ['name', 'TEXT'],
      ['face', 'IMAGE'],
      ['age', 'TEXT'],
    ])
    expect(await app.read('author', ids.author)).toMatchObject({ age: '41' })
    const [part] = (await app.additionsOf(id)).parts
    expect(part?.fields.map(({ from, outcome, problem }) => [from, outcome, problem])).toEqual([
      // The model that this field references was not chosen.
      ['shop', 'refused', 'lacksTarget'],
      ['links', 'left', null],
      ['age', 'made', null],
    ])
    const types = ok(await client.get(`${app.space.url}/app/blog/customFieldType`)).customFieldTypes
    expect(types.map(({ uid }: { uid: string }) => uid)).not.toContain('links')

    const next = await app.additionsOf(await app.update())
    expect(next.models.map(({ from, takes }) => [from, takes])).toEqual([['shop', false]])
    expect(next.parts.flatMap(({ fields }) => fields.map(({ from, takes }) => [from, takes]))).toEqual([
      ['shop', true],
      ['links', false],
    ])
  })

  it('does not recreate a field that was deleted in the app, and lists its key as unknown', async () => {
    const { client } = movers.admin
    const { name, description, fields } = await app.getModel('author')
    const kept = fields.filter(({ uid }: { uid: string }) => uid !== 'face')
    const data = { uid: 'author', name, description, titleField: 'name', fields: kept }
    ok(await client.put(`${app.modelUrl('author')}?acceptLoss=true`, { data, acceptLoss: true }))
    const before = typesOf((await app.getModel('author')).fields)
    expect(before).toEqual([['name', 'TEXT']])
    app.editThere('author', ids.author, { name: 'Newtで直した著者' })
    const id = await app.update()
    expect(await app.additionsOf(id)).toEqual({
      models: [],
      parts: [],
      customTypes: [],
      views: { count: 0, examples: [] },
    })
    const { models } = (await app.getUpdate(id)).changes
    expect(models.find(({ from }: { from: string }) => from === 'author').unknownFields).toEqual(['face'])
    await app.apply(id)
    expect(typesOf((await app.getModel('author')).fields)).toEqual(before)
  })

  it('creates new models and fields once although its job is interrupted', async () => {
    growThere()
    const id = await app.update()
    const { pool } = movers.installation.database
    await pool.query(`CREATE FUNCTION cut_off() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'cut off'; END $$`)
    const cutAt = async (trigger: string, work: () => Promise<void>) => {
      await pool.query(`CREATE TRIGGER cut_off ${trigger} EXECUTE FUNCTION cut_off()`)
      await work()
      await pool.query(`DROP TRIGGER cut_off ON ${/ ON (\w+)/.exec(trigger)?.[1]}`)
    }
    ok(await movers.admin.client.post(app.moveUrl(id, '/start')))
    // Interrupted while the additions are created: nothing is created.
    await cutAt('BEFORE UPDATE ON move FOR EACH ROW WHEN (NEW.changes IS DISTINCT FROM OLD.changes)', () =>
      runWaiting(movers.installation, importMoveJob),
    )
    expect((await movers.admin.client.get(app.modelUrl('shop'))).status).toBe(404)
    expect(typesOf((await app.getModel('author')).fields)).toHaveLength(2)
    // Then interrupted while the documents of the new model are imported.
    await cutAt(`BEFORE UPDATE ON move_change FOR EACH ROW WHEN (NEW.document_id = '${idOf(0x6002)}')`, () =>
      runWaiting(movers.installation, importMoveJob),
    )
    await pool.query('DROP FUNCTION cut_off()')
    expect(await app.getMove(id)).toMatchObject({ state: 'importing' })
    expect(await app.getModel('shop')).toMatchObject({ documentCount: 0 })
    await runWaiting(movers.installation, importMoveJob)
    expect(await app.getMove(id)).toMatchObject({ state: 'accepted', report: { documents: 4 } })
    expect(await app.getModel('shop')).toMatchObject({ documentCount: 2 })
    const { models } = ok(await movers.admin.client.get(`${app.space.url}/app/blog/model`))
    expect(models.filter(({ uid }: { uid: string }) => uid.startsWith('shop'))).toHaveLength(1)
    expect((await app.getModel('author')).fields).toHaveLength(5)
  })

  it('requires the right to change models only if a new model or field is selected', async () => {
    const { client } = movers.admin
    growThere()
    const id = await app.update()
    const rights = ['space.view', 'app.create', 'asset.read', 'asset.write.own', 'document.read']
    const writes = ['document.write.own', 'document.publish.own', 'document.write.any']
    const data = { name: '移行係', rights: [...rights, ...writes, 'app.manage'] }
    const { role } = ok(await client.post(`${app.space.url}/role`, { data }))
    const maker = await createMember(movers.installation, app.space, role.uid)
    const start = () => maker.client.post(app.moveUrl(id, '/start'))
    ok(await maker.client.get(app.moveUrl(id, '/changes')))
    expect((await start()).status).toBe(403)
    const { models, parts } = await app.additionsOf(id)
    const left = {
      models: models.map(({ from }) => ({ from, takes: false })),
      fields: parts.flatMap(({ kind, uid, fields }) =>
        fields.map(({ from }) => ({ kind, uid, from, takes: false })),
      ),
    }
    ok(await maker.client.put(app.moveUrl(id, '/changes'), { data: left }))
    expect((await start()).status).toBe(200)
  })
})
