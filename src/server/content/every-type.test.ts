import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FieldTypeName, fieldTypeNames, typeOf } from '#shared/fields/index.ts'
import { putAsset } from '#test/asset-fixtures.ts'
import { createAccount, createApp, createSpace } from '#test/factories.ts'
import { findViolations } from '#test/invariants.ts'
import { quadrants } from '#test/pictures.ts'
import { type Client, ok, startInstallation, type TestInstallation } from '#test/server.ts'

/*
 * Tests the types of field except `CUSTOM` and `MULTI_TYPE` in five nestings. Values are saved, published, delivered,
 * filtered, searched, checked for uniqueness, compared, changed and changed back, converted and copied. A new type
 * needs an entry in `samples`, otherwise this file does not compile.
 */

type Loose = Record<string, unknown>
type PlainType = Exclude<FieldTypeName, 'CUSTOM' | 'MULTI_TYPE'>

interface Sample {
  settings?: Loose
  /** Two values as the management API returns them. */
  values: [unknown, unknown]
  /** The first value as the delivery API returns it at depth 0, if it differs. */
  sent?: unknown
  /** Properties of the first value's document or asset in responses at depth 1 or 2. */
  expanded?: Loose
  /** The delivered value of a field that was never set; undefined if the response omits the key. */
  empty: unknown
  /** The first value in an equality filter; missing if the tests do not filter this type by equality. */
  equal?: string
  /** A word of the first value that a search finds. */
  word?: string
}

let installation: TestInstallation
let client: Client
let app: { uid: string; url: string }
let space: { uid: string; url: string }
let tokens: Record<'cdn' | 'api', string>
let samples: Record<PlainType, Sample>

const field = (uid: string, type: string, more: Loose = {}) => ({ uid, name: uid, type, ...more })
const id = (n: number) => n.toString(16).padStart(24, '0')
const frame = (n: number) => `<iframe src="https://player.example/${n}"></iframe>`
const post = `<blockquote class="twitter-tweet"><p>埋込の言葉</p></blockquote>`

const plainTypes = fieldTypeNames.filter((type): type is PlainType => !typeOf({ type }).nesting)
const uidOf = (type: FieldTypeName) => `a_${type.toLowerCase()}`

beforeAll(async () => {
  installation = await startInstallation()
  client = (await createAccount(installation)).client
  space = await createSpace(client)
  app = await createApp(client, space)
  const token = async (kind: 'cdn' | 'api') =>
    ok(await client.post(`${space.url}/${kind}Token`, { data: { name: kind } }))[`${kind}Token`].token
  tokens = { cdn: await token('cdn'), api: await token('api') }
  ok(
    await client.post(`${app.url}/model`, {
      data: { uid: 'target', name: 't', fields: [field('name', 'TEXT')] },
    }),
  )
  const target = async (name: string) =>
    ok(await client.post(`${app.url}/model/target/doc`, { document: { name }, type: 'PUBLISH' })).document._id
  const targets = [await target('一'), await target('二')] as const
  const bytes = await quadrants(4, 4)
  const pictures = [
    await putAsset(installation, space, { bytes, fileName: '一.png' }),
    await putAsset(installation, space, { bytes, fileName: '二.png' }),
  ] as const
  const asset: Sample = {
    values: [...pictures],
    empty: null,
    expanded: { _id: pictures[0], fileName: '一.png' },
  }
  samples = {
    TEXT: { values: ['検索の言葉', '別の語'], empty: '', equal: '検索の言葉', word: '索の言' },
    RICH_TEXT: { values: ['<p>本文の<strong>言葉</strong></p>', '<p>二</p>'], empty: '', word: '本文の言葉' },
    MARKDOWN: {
      values: ['# 見出の言葉', '二'],
      sent: '<h1>見出の言葉</h1>\n',
      empty: '',
      word: '見出の',
    },
    NUMBER: { values: [0.1, -0.000001], empty: null, equal: '0.1' },
    DATE: {
      values: ['2026-11-24T01:02:03.004Z', '0001-01-01T00:00:00.000Z'],
      empty: null,
      equal: '2026-11-24',
    },
    CHECKBOX: { values: [true, false], empty: false, equal: 'true' },
    SELECT: {
      settings: { valueType: 'number', options: [{ value: 1.5 }, { value: 2 }] },
      values: [1.5, 2],
      empty: null,
      equal: '1.5',
    },
    COLOR: { settings: { alpha: true }, values: ['#ff880080', '#000000'], empty: '', equal: 'FF880080' },
    EMOJI: { values: ['❤️', '👨‍👩‍👧‍👦'], sent: { type: 'emoji', value: '❤️' }, empty: null, equal: '❤' },
    MAP: {
      values: [
        { lat: 35.681236, lng: 139.767125 },
        { lat: -90, lng: 1e-7 },
      ],
      empty: undefined,
    },
    EMBED: { values: [post, frame(2)], empty: '', word: '埋込の言葉' },
    IMAGE: asset,
    FILE: asset,
    REFERENCE: {
      settings: { modelUid: 'target' },
      values: [...targets],
      empty: null,
      expanded: { _id: targets[0], name: '一' },
      equal: targets[0],
    },
  }
})
afterAll(async () => {
  expect(await findViolations(installation.database)).toEqual([])
  await installation.close()
})

/** A nesting: the position of values in a document. */
interface Shape {
  name: string
  has(type: PlainType): boolean
  /**
   * Returns the fields of a model that stores values of these types in this nesting. Creates the custom types that the
   * fields need.
   */
  fields(types: PlainType[]): Promise<Loose[]>
  document(given: (type: PlainType) => unknown): Loose
  /** Returns the document as delivered. `sent` returns the delivered form of each value. */
  delivered(sent: (type: PlainType, several: boolean) => unknown): Loose
  /** Returns the query path that searches the texts of a type. */
  place(type: PlainType): string
  /** Whether `place` is the path of the type's own field, not of an enclosing field. */
  isFlat: boolean
  /** Returns the query path that compares values of a type. */
  inner(type: PlainType): string
  /** Returns the path at which errors report the value of a type. Only for nestings that support unique values. */
  path?(type: PlainType): string
  /** The `uid` of the custom type that contains the fields; missing if the model contains them. */
  owner?: string
}

const plain = (type: PlainType, more: Loose = {}) =>
  field(uidOf(type), type, { ...samples[type].settings, ...more })
const unrepeated = (type: PlainType) => plain(type, { unique: typeOf({ type }).canBeUnique })
/** Returns an object with one value per type, keyed by field `uid`, without undefined values. */
const object = (types: PlainType[], given: (type: PlainType) => unknown): Loose =>
  Object.fromEntries(
    types.map((type) => [uidOf(type), given(type)] as const).filter(([, value]) => value !== undefined),
  )
const createType = async (uid: string, fields: Loose[]) =>
  ok(await client.post(`${app.url}/customFieldType`, { data: { uid, name: uid, fields } }))

const shapes: Shape[] = [
  {
    name: 'single',
    has: () => true,
    fields: async (types) => types.map(unrepeated),
    document: (given) => object(plainTypes, given),
    delivered: (sent) => object(plainTypes, (type) => sent(type, false)),
    place: uidOf,
    isFlat: true,
    inner: uidOf,
    path: uidOf,
  },
  {
    name: 'multiple',
    has: (type) => typeOf({ type }).canBeMultiple,
    fields: async (types) => types.map((type) => plain(type, { multiple: true })),
    document(given) {
      return object(plainTypes.filter(this.has), (type) => [given(type), samples[type].values[1]])
    },
    delivered(sent) {
      return object(plainTypes.filter(this.has), (type) => sent(type, true))
    },
    place: uidOf,
    isFlat: true,
    inner: uidOf,
  },
  {
    name: 'inside custom',
    has: () => true,
    async fields(types) {
      await createType('one', types.map(unrepeated))
      return [field('value', 'CUSTOM', { customType: 'one' })]
    },
    document: (given) => ({ value: object(plainTypes, given) }),
    delivered: (sent) => ({ value: object(plainTypes, (type) => sent(type, false)) }),
    place: () => 'value',
    isFlat: false,
    inner: (type) => `value.${uidOf(type)}`,
    path: (type) => `value.${uidOf(type)}`,
    owner: 'one',
  },
  {
    name: 'inside multi-type',
    has: () => true,
    fields: async (types) => [
      field('value', 'MULTI_TYPE', {
        multiple: true,
        types: types.map((type) => ({ type, ...samples[type].settings })),
      }),
    ],
    document: (given) => ({
      value: plainTypes.map((type, index) => {
        const data = given(type)
        return { _id: id(index + 1), type, ...(data === undefined ? {} : { data }) }
      }),
    }),
    delivered: (sent) => ({
      value: plainTypes.map((type, index) => {
        const data = sent(type, false)
        return { _id: id(index + 1), type, ...(data === undefined ? {} : { data }) }
      }),
    }),
    place: () => 'value',
    isFlat: false,
    inner: () => 'value.data',
  },
  {
    name: 'two levels deep',
    has: () => true,
    async fields(types) {
      await createType('inner', types.map(unrepeated))
      await createType('outer', [field('inner', 'CUSTOM', { customType: 'inner', multiple: true })])
      const allowed = [{ type: 'CUSTOM', customType: 'outer' }]
      return [field('value', 'MULTI_TYPE', { multiple: true, types: allowed })]
    },
    document: (given) => ({
      value: [{ _id: id(1), type: 'outer', data: { inner: [{ ...object(plainTypes, given), _id: id(2) }] } }],
    }),
    delivered: (sent) => ({
      value: [
        {
          _id: id(1),
          type: 'outer',
          data: { inner: [{ ...object(plainTypes, (type) => sent(type, false)), _id: id(2) }] },
        },
      ],
    }),
    place: () => 'value',
    isFlat: false,
    inner: (type) => `value.data.inner.${uidOf(type)}`,
    path: (type) => `value.0.data.inner.0.${uidOf(type)}`,
    owner: 'inner',
  },
]

/**
 * Returns a function that returns the delivered form of a type's first value at this depth; with `several`, of both
 * values.
 */
function sentAt(depth: number) {
  return (type: PlainType, several: boolean): unknown => {
    const { values, sent = values[0], expanded } = samples[type]
    if (!several) return depth > 0 && expanded ? expect.objectContaining(expanded) : sent
    return depth > 0 && expanded
      ? [expect.objectContaining(expanded), expect.objectContaining({ _id: values[1] })]
      : [sent, values[1]]
  }
}

describe.each(shapes)('a value of each type except CUSTOM and MULTI_TYPE ($name)', (shape) => {
  const uid = shape.name.replace(/\W/g, '-')
  let url: string
  let docs: string
  let types: PlainType[]
  /** A published document with the first value of every type. */
  let first: Loose & { _id: string; _sys: { version: number } }
  /** The id of a published document with only a title. */
  let bare: string

  const firstValue = (type: PlainType) => samples[type].values[0]
  const own = ({ _id, _sys, title, ...values }: Loose) => values
  const save = async (document: Loose, type = 'PUBLISH') =>
    ok(await client.post(docs, { document: { title: '題', ...document }, type })).document
  const deliver = async (kind: 'cdn' | 'api', path: string) =>
    ok(
      await client.get(`/${space.uid}.${kind}/v1/${app.uid}/${uid}${path}`, {
        authorization: `Bearer ${tokens[kind]}`,
      }),
    )
  const found = async (query: string): Promise<string[]> =>
    (await deliver('cdn', `?${query}`)).items.map(({ _id }: { _id: string }) => _id)

  beforeAll(async () => {
    types = plainTypes.filter(shape.has)
    url = `${app.url}/model/${uid}`
    docs = `${url}/doc`
    const fields = [field('title', 'TEXT'), ...(await shape.fields(types))]
    ok(await client.post(`${app.url}/model`, { data: { uid, name: uid, fields } }))
    first = await save(shape.document(firstValue))
    bare = (await save({}))._id
  })

  it('is returned unchanged by a save, a read and a revision, and a second value passes validation', async () => {
    const document = shape.document(firstValue)
    expect(own(first)).toEqual(document)
    expect(own(ok(await client.get(`${docs}/${first._id}`)).document)).toEqual(document)
    const { revision } = ok(await client.get(`${docs}/${first._id}/revision/latest`))
    expect(own(revision.values)).toEqual(document)
    expect(
      ok(
        await client.post(`${docs}/validate`, {
          doc: { title: '題', ...shape.document((type) => samples[type].values[1]) },
        }),
      ),
    ).toEqual({
      isValid: true,
      invalidFieldUIDs: [],
      isTooLarge: false,
      issues: [],
      warnings: [],
    })
  })

  it('is delivered in the form of its type at depths 0 to 2, and when empty as the empty value of its type', async () => {
    for (const kind of ['cdn', 'api'] as const)
      for (const depth of [0, 1, 2])
        expect(own(await deliver(kind, `/${first._id}?depth=${depth}`))).toEqual(
          shape.delivered(sentAt(depth)),
        )
    const empty = await deliver('cdn', `/${bare}`)
    if (shape.isFlat)
      expect(own(empty)).toEqual(shape.delivered((type, several) => (several ? [] : samples[type].empty)))
    // A missing key of a nested value is delivered like an empty value.
    const without = await save(shape.document((type) => (type === 'TEXT' ? 'x' : undefined)))
    const sparse = await deliver('cdn', `/${without._id}`)
    if (shape.name !== 'multiple')
      expect(own(sparse)).toEqual(shape.delivered((type) => (type === 'TEXT' ? 'x' : samples[type].empty)))
    ok(await client.delete(`${docs}/${without._id}`))
  })

  it('is found by an equality filter and by a word, if its sample names them', async () => {
    for (const type of types) {
      const { equal, word } = samples[type]
      const place = encodeURIComponent(shape.place(type))
      if (word) {
        expect([type, await found(`${place}[match]=${encodeURIComponent(word)}`)]).toEqual([
          type,
          [first._id],
        ])
        expect([type, await found(`search=${encodeURIComponent(word)}`)]).toEqual([type, [first._id]])
      }
      const inner = encodeURIComponent(shape.inner(type))
      if (equal)
        expect([type, await found(`${inner}=${encodeURIComponent(equal)}`)]).toEqual([type, [first._id]])
      if (word)
        expect([type, await found(`${inner}[match]=${encodeURIComponent(word)}`)]).toEqual([
          type,
          [first._id],
        ])
      if (!shape.isFlat) continue
      // A checkbox always has a value.
      const filled = type === 'CHECKBOX' ? [first._id, bare].sort() : [first._id]
      expect([type, (await found(`${place}[exists]=true`)).sort()]).toEqual([type, filled])
    }
    if (!shape.isFlat) expect(await found('value[exists]=true')).toEqual([first._id])
  })

  it('is merged with a concurrent change of the title, and a conflict lists the changed fields', async () => {
    const base = await save(
      shape.document((type) => (typeOf({ type }).canBeUnique ? undefined : firstValue(type))),
      'SAVE',
    )
    const at = `${docs}/${base._id}`
    const version = { 'if-match': `"${base._sys.version}"` }
    const second = shape.document((type) => samples[type].values[1])
    ok(await client.put(at, { doc: second }, version))
    const merged = ok(await client.put(at, { doc: { title: '別の題' } }, version)).document
    expect([merged.title, own(merged)]).toEqual(['別の題', second])
    // The base version precedes the second values. The conflict lists the emptied fields that had a value in the base
    // version, because they have changed since.
    const emptied = Object.fromEntries(Object.keys(second).map((name) => [name, null]))
    const { status, body } = await client.put(at, { doc: emptied }, version)
    expect([status, body.code]).toEqual([409, 'VersionConflict'])
    const wasThere = (type: PlainType) => shape.name === 'multiple' || !typeOf({ type }).canBeUnique
    const changed = types.filter(wasThere).map(uidOf)
    expect(body.fields.toSorted()).toEqual(shape.isFlat ? changed.toSorted() : ['value'])
    ok(await client.delete(at))
  })

  it('is copied, except if it is unique: then a single text gets a number', async () => {
    const copy = ok(await client.put(`${docs}/${first._id}`, { doc: {}, type: 'DUPLICATE' })).document
    expect(copy._id).not.toBe(first._id)
    expect(copy._sys.status).toBe('draft')
    const copyOf = (type: PlainType) => {
      const { canBeUnique, canBeTitle } = typeOf({ type })
      if (!shape.path || !canBeUnique) return firstValue(type)
      return canBeTitle && shape.name === 'single' ? `${firstValue(type)}-2` : undefined
    }
    expect(own(copy)).toEqual(shape.document(copyOf))
    ok(await client.delete(`${docs}/${copy._id}`))
  })

  const { path } = shape
  if (path)
    it('is rejected if it is unique and published in another document', async () => {
      const unique = types.filter((type) => typeOf({ type }).canBeUnique)
      expect(unique.length).toBeGreaterThan(2)
      const repeated = await client.post(docs, { document: { title: '題', ...own(first) }, type: 'PUBLISH' })
      expect(repeated.status).toBe(400)
      expect(repeated.body.issues.map(({ path, code }: Loose) => [path, code]).sort()).toEqual(
        unique.map((type) => [path(type), 'DuplicatedValue']).sort(),
      )
      if (!shape.isFlat) return
      for (const [name, held] of Object.entries(own(first))) {
        const [uid] = [name]
        const isHeld = unique.some((type) => uidOf(type) === uid)
        const { code } = ok(await client.post(`${docs}/validateField`, { value: held, field: name }))
        expect([name, code]).toEqual([name, isHeld ? 'DuplicatedValue' : null])
      }
    })

  it('is restored when a lossy change of its field is undone', async () => {
    const stored = await stateOf(first._id)
    const lossy = (one: Loose & { type: FieldTypeName }) => {
      if (one.uid === 'title') return one
      const { _id, uid, name, type } = one
      // A field with several types keeps only its last type, so values of the other types are lost.
      if (typeOf({ type }).nesting) return { ...one, types: (one.types as unknown[]).slice(-1) }
      return { _id, uid, name, type: type === 'MAP' ? 'CHECKBOX' : 'MAP' }
    }
    const { customFieldTypes } = ok(await client.get(`${app.url}/customFieldType`))
    const owner = customFieldTypes.find((one: Loose) => one.uid === shape.owner)
    const at = owner ? `${app.url}/customFieldType/${owner._id}` : url
    const { fields } = owner ?? ok(await client.get(url)).model
    const data = { fields: fields.map(lossy) }
    const refused = await client.put(at, { data })
    expect(refused.status).toBe(400)
    const told = new Set(refused.body.losses.map(({ field }: Loose) => field))
    expect(told.size).toBe(types.length - (shape.name === 'inside multi-type' ? 1 : 0))
    const answer = ok(await client.put(at, { data, acceptLoss: true }))
    expect(await stateOf(first._id)).not.toEqual(stored)
    const { version } = answer.model ?? answer.customFieldType
    ok(await client.post(`${at}/change:takeBack`, { version }))
    expect(await stateOf(first._id)).toEqual(stored)
    expect(own(ok(await client.get(`${docs}/${first._id}`)).document)).toEqual(own(first))
  })

  it('keeps its content when the fields of the model are renamed or become multiple', async () => {
    const { model } = ok(await client.get(url))
    const stored = await stateOf(first._id)
    const renamed = model.fields.map((one: Loose) => ({ ...one, uid: `${one.uid}_2` }))
    ok(await client.put(url, { data: { fields: renamed } }))
    expect(await stateOf(first._id)).toEqual(stored)
    // Fields whose type can be multiple, except the title, become multiple. In most nestings, they then become single
    // again.
    const switched = (multiple: boolean) =>
      model.fields.map((one: Loose & { type: FieldTypeName }) => ({
        ...one,
        unique: false,
        multiple: typeOf(one).canBeMultiple && one.uid !== 'title' ? multiple : false,
      }))
    ok(await client.put(url, { data: { fields: switched(true) } }))
    const several = ok(await client.get(`${docs}/${first._id}`)).document
    for (const [name, value] of Object.entries(own(first)))
      expect([value].flat()).toEqual([several[name]].flat().map(withoutNewId(value)))
    if (shape.name === 'multiple' || shape.name === 'inside multi-type') return
    ok(await client.put(url, { data: { fields: model.fields } }))
    expect(own(ok(await client.get(`${docs}/${first._id}`)).document)).toEqual(own(first))
  })

  async function stateOf(document: string): Promise<unknown> {
    const { pub } = await installation.database.kysely
      .selectFrom('document')
      .select('pub')
      .where('id', '=', document)
      .executeTakeFirstOrThrow()
    return pub
  }
})

/**
 * Returns a function that removes the `_id` from items of a value that was single before. Such an item gets an `_id`
 * only when the field becomes multiple.
 */
function withoutNewId(before: unknown) {
  return (item: unknown) => {
    if (typeof item !== 'object' || item === null || Array.isArray(before)) return item
    const { _id, ...rest } = item as Loose
    return rest
  }
}
