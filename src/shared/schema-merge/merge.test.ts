import { describe, expect, it } from 'vitest'
import { createResolver, nestingIssues } from '../fields/custom-types.ts'
import type { Field } from '../fields/index.ts'
import { portableModels } from '../fields/portable.ts'
import type { FieldBody } from '../fields/read-fields.ts'
import { targetUids } from '../fields/references.ts'
import { conditionIssues } from '../fields/settings.ts'
import { freeName, freeUid } from '../free-uids.ts'
import { compareSchemas } from './compare.ts'
import { type Merged, type MergeInput, mergeSchema } from './merge.ts'
import {
  fieldKind,
  type IncomingPart,
  type IncomingSchema,
  issuesOf,
  itemKey,
  type ModelValues,
  type OwnSchema,
  type TypeValues,
} from './schema.ts'
import type { OwnView } from './views.ts'

type Here = OwnSchema & { views: OwnView[] }
type Input = MergeInput<ModelValues, TypeValues, OwnView>
const empty: Here = { models: [], customTypes: [], views: [] }
const compiles = (pattern: string) => pattern !== '('
const merge = (input: Omit<Input, 'compiles'>) => mergeSchema({ compiles, ...input })

const text = (uid: string, more: object = {}): FieldBody => ({ uid, name: uid, type: 'TEXT', ...more })
const custom = (uid: string, customType: string) => ({ ...text(uid), type: 'CUSTOM', customType })
const reference = (uid: string, modelUid: string) => ({ ...text(uid), type: 'REFERENCE', modelUid })
const part = (uid: string, fields: FieldBody[], more: Partial<IncomingPart> = {}): IncomingPart => ({
  uid,
  name: uid,
  description: '',
  fields,
  ...more,
})
const models = (...all: IncomingPart[]): IncomingSchema => ({ customTypes: [], models: all })
const types = (...all: IncomingPart[]): IncomingSchema => ({ customTypes: all, models: [] })
const made = (theirs: IncomingSchema): Here => withViews(empty, merge({ theirs, here: empty }))
const uidsOf = (fields: readonly { uid: string }[] = []) => fields.map(({ uid }) => uid)
const told = ({ refusals }: Merged) => refusals.map(({ reason, uid, field }) => [reason, uid, field])

function withViews(here: Here, { after, views }: Merged<ModelValues, TypeValues, OwnView>): Here {
  const written = new Map(views.map(({ before, values }) => [before?.uid, values]))
  const kept = here.views.flatMap((view) => {
    const values = written.get(view.uid)
    if (values === null) return []
    return [values ? { ...values, uid: view.uid } : view]
  })
  const news = views.flatMap(({ before, values }, index) =>
    before || !values ? [] : [{ ...values, uid: `view ${here.views.length + index}` }],
  )
  return { ...after, views: [...kept, ...news] }
}

/** Returns a deterministic `_id` derived from the owner and field. */
const idOf = (owner: string, field = '') =>
  Array.from(`${owner} ${field}`, (letter) => letter.charCodeAt(0).toString(16))
    .join('')
    .padStart(24, '0')
    .slice(-24)

function portable({ models: own, customTypes, views }: Here): IncomingSchema {
  const { customFieldTypes, models: carried } = portableModels([...own], [...customTypes], idOf)
  return {
    customTypes: customFieldTypes,
    models: carried,
    views: views.map(({ uid: _, ...view }) => view),
  }
}

function generator(seed: number) {
  let state = seed
  return (n: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * n)
  }
}
type Random = ReturnType<typeof generator>

function someOf<T>(random: Random, all: readonly T[]): T[] {
  const left = all.filter(() => random(3) > 0)
  for (let at = left.length - 1; at > 0; at--) {
    const other = random(at + 1)
    ;[left[at], left[other]] = [left[other] as T, left[at] as T]
  }
  return left
}

function randomSchema(random: Random): IncomingSchema {
  const typeUids = ['hero', 'link', 'part', 'seo'].filter(() => random(4) > 0)
  const modelUids = someOf(random, ['article', 'author', 'page', 'shop', 'tag'])
  const fields = (inside: readonly string[]): FieldBody[] => {
    const uids = someOf(random, ['a', 'b', 'c', 'd', 'e', 'f', 'g'])
    return uids.map((uid, index) => {
      const condition = index > 0 && random(4) === 0 ? { condition: { field: uids[0], is: 'filled' } } : {}
      const common = { uid, name: `${uid} ${random(2)}`, ...condition }
      const [type, model] = [inside[random(inside.length)], modelUids[random(modelUids.length)]]
      const choices: FieldBody[] = [
        { ...common, type: 'TEXT', required: random(2) === 0 },
        { ...common, type: 'NUMBER' },
        ...(type ? [{ ...common, type: 'CUSTOM', customType: type, multiple: random(2) === 0 }] : []),
        ...(model ? [{ ...common, type: 'REFERENCE', modelUid: model }] : []),
        ...(type
          ? [
              {
                ...common,
                type: 'MULTI_TYPE',
                types: [{ type: 'TEXT' }, { type: 'CUSTOM', customType: type }],
              },
            ]
          : []),
      ]
      return choices[random(choices.length)] ?? { ...common, type: 'TEXT' }
    })
  }
  const owners = modelUids.map((uid) => {
    const own = fields(typeUids)
    const titles = own.filter(({ type }) => type === 'TEXT')
    return part(uid, own, {
      name: `${uid} ${random(2)}`,
      titleField: titles[random(titles.length)]?.uid ?? null,
    })
  })
  return {
    customTypes: typeUids.map((uid, index) => part(uid, fields(typeUids.slice(0, index)))),
    models: owners,
    views: owners.flatMap(({ uid }) =>
      random(2) === 0
        ? []
        : [{ modelUid: uid, name: 'すべて', type: 'TABLE', settings: { q: String(random(2)) } }],
    ),
  }
}

function expectWhole({ models: own, customTypes }: OwnSchema): void {
  const resolve = createResolver(customTypes)
  const known = uidsOf(own)
  for (const { uid, fields } of [...own, ...customTypes]) {
    expect(() => resolve(fields)).not.toThrow()
    expect(targetUids(fields).filter((target) => !known.includes(target))).toEqual([])
    expect(conditionIssues(fields)).toEqual([])
    expect(new Set(uidsOf(fields)).size).toBe(fields.length)
    expect(new Set(fields.map(({ _id }) => _id)).size).toBe(fields.length)
    expect(
      nestingIssues(fields, customTypes, customTypes.some((type) => type.uid === uid) ? uid : undefined),
    ).toEqual([])
  }
}

const isFieldIn = (fields: readonly Field[], uids: readonly string[]) =>
  uidsOf(fields).filter((uid) => uids.includes(uid))

describe('mergeSchema with random schemas', () => {
  const seeds = Array.from({ length: 40 }, (_, seed) => seed)
  const pair = (seed: number) => {
    const random = generator(seed)
    return { random, here: made(randomSchema(random)), theirs: randomSchema(random) }
  }

  it('merges a schema into an empty app without refusals', () => {
    for (const seed of seeds) {
      const { theirs } = pair(seed)
      const merged = merge({ theirs, here: empty })
      expect(merged.refusals).toEqual([])
      expectWhole(merged.after)
      expect(uidsOf(merged.after.models)).toEqual(uidsOf(theirs.models))
    }
  })

  it('changes nothing if no item is chosen', () => {
    for (const seed of seeds) {
      const { here, theirs } = pair(seed)
      const merged = merge({ theirs, here, chosen: new Set() })
      expect(merged).toMatchObject({ customTypes: [], models: [], views: [], refusals: [], leftOut: [] })
      expect(merged.removed).toEqual({ models: [], customTypes: [] })
      expect(merged.after).toEqual({ models: here.models, customTypes: here.customTypes })
    }
  })

  it('leaves no difference between the schemas if all differences are chosen', () => {
    for (const seed of seeds) {
      const { here, theirs } = pair(seed)
      const base = portable(here)
      const chosen = new Set(compareSchemas({ base, theirs, here: base }).map(({ key }) => key))
      const merged = merge({ theirs, here, chosen })
      expect(merged.refusals).toEqual([])
      expectWhole(merged.after)
      const after = withViews(here, merged)
      // Views of removed models are removed with them.
      const left = {
        ...after,
        views: after.views.filter(({ modelUid }) => uidsOf(after.models).includes(modelUid)),
      }
      expect(compareSchemas({ base, theirs, here: portable(left) })).toEqual([])
      const again = merge({ theirs, here: left, chosen })
      expect(again).toMatchObject({ customTypes: [], models: [], views: [], refusals: [] })
    }
  })

  it('keeps unchosen fields of remaining models and types, and adds chosen fields unless refused', () => {
    for (const seed of seeds) {
      const { random, here, theirs } = pair(seed)
      const base = portable(here)
      const all = compareSchemas({ base, theirs, here: base })
      const chosen = new Set(all.flatMap(({ key }) => (random(2) === 0 ? [key] : [])))
      const { after, refusals } = merge({ theirs, here, chosen })
      expectWhole(after)
      const refused = new Set(
        refusals.map(({ kind, uid, field }) =>
          field === null || kind === 'view' ? itemKey(kind, uid) : itemKey(fieldKind(kind), field, uid),
        ),
      )
      for (const [kind, own, now, incoming] of [
        ['model', here.models, after.models, theirs.models],
        ['customType', here.customTypes, after.customTypes, theirs.customTypes],
      ] as const)
        for (const { uid, fields } of own) {
          const left = now.find((one) => one.uid === uid)
          const isChosen = chosen.has(itemKey(kind, uid))
          if (!left) expect(isChosen && !uidsOf(incoming).includes(uid)).toBe(true)
          if (!left) continue
          const keyOf = (field: string) => itemKey(fieldKind(kind), field, uid)
          const kept = fields.filter((field) => !chosen.has(keyOf(field.uid)))
          for (const field of kept.filter((one) => !refused.has(keyOf(one.uid))))
            expect(left.fields).toContainEqual(field)
          expect(isFieldIn(left.fields, uidsOf(kept))).toEqual(uidsOf(kept))
          const there = incoming.find((one) => one.uid === uid)
          for (const { uid: field } of there?.fields ?? [])
            if (chosen.has(keyOf(field)) && !refused.has(keyOf(field)))
              expect(uidsOf(left.fields)).toContain(field)
        }
    }
  })

  it('returns the same schema twice if the ids are deterministic', () => {
    for (const seed of seeds.slice(0, 20)) {
      const { here, theirs } = pair(seed)
      const once = () => merge({ theirs, here, idOf })
      expect(once().after).toEqual(once().after)
    }
  })
})

describe('mergeSchema with uids in use', () => {
  const here = made({ customTypes: [part('hero', [text('a')])], models: [part('article', [text('title')])] })

  it('refuses a uid in use if `whenHere` is `refuse`, or if it is `same` and the custom type differs', () => {
    const refused = merge({ theirs: models(part('article', [], { whenHere: 'refuse' })), here })
    expect(told(refused)).toEqual([['taken', 'article', null]])
    expect(issuesOf(refused.refusals)).toEqual([{ path: 'models.0.uid', code: 'DuplicatedValue' }])
    const same = merge({ theirs: types(part('hero', [text('a')], { whenHere: 'same' })), here })
    expect([same.used, same.customTypes, same.refusals]).toEqual([['hero'], [], []])
    const other = merge({ theirs: types(part('hero', [text('b')], { whenHere: 'same' })), here })
    expect([other.used, told(other)]).toEqual([[], [['taken', 'hero', null]]])
    for (const merged of [refused, same, other])
      expect(merged.after).toEqual({ models: here.models, customTypes: here.customTypes })
  })

  it('refuses repeated uids of custom types and fields, and repeated names of custom types, with paths', () => {
    const twice = types(part('x', []), part('x', [], { name: 'y' }), part('z', [], { name: 'x' }))
    expect(issuesOf(merge({ theirs: twice, here: empty }).refusals)).toEqual([
      { path: 'customFieldTypes.1.uid', code: 'DuplicatedValue' },
      { path: 'customFieldTypes.2.name', code: 'DuplicatedValue' },
    ])
    const fields = merge({ theirs: models(part('m', [text('a'), text('a')])), here: empty })
    expect(issuesOf(fields.refusals)).toEqual([{ path: 'models.0.fields.1.uid', code: 'DuplicatedValue' }])
  })

  it('freeUid and freeName return a uid or name with the next free number if it is taken', () => {
    const taken = new Set(['blog', 'blog-3', 'blog-4', 'a'.repeat(64)])
    expect(['blog', 'blog-3', 'shop', 'a'.repeat(64)].map((uid) => freeUid(uid, taken))).toEqual([
      'blog-2',
      'blog-5',
      'shop',
      `${'a'.repeat(62)}-2`,
    ])
    expect(freeUid('live', new Set(), (uid) => (uid === 'live' ? 'ReservedWord' : null))).toBe('live-2')
    expect(freeName('見出し', new Set(['見出し', '見出し 2']))).toBe('見出し 3')
    const long = `${'あ'.repeat(89)}👩\u200d🌾`
    expect(freeName(long, new Set([long]))).toBe(`${'あ'.repeat(89)} 2`)
  })

  it('refuses a custom type with a name in use, and the fields that use this type', () => {
    const theirs = {
      customTypes: [part('other', [], { name: 'hero' })],
      models: [part('page', [custom('x', 'other'), text('y')])],
    }
    const merged = merge({ theirs, here })
    expect(told(merged)).toEqual([
      ['taken', 'other', null],
      ['lacks', 'page', 'x'],
    ])
    expect(uidsOf(merged.models[0]?.values.fields)).toEqual(['y'])
  })
})

describe('mergeSchema with fields', () => {
  const here = made(models(part('article', [text('b'), text('a'), text('own')], { titleField: 'a' })))
  const grow = (...fields: FieldBody[]) => {
    const chosen = new Set(uidsOf(fields).map((uid) => itemKey('field', uid, 'article')))
    const theirs = models(part('article', [text('a'), text('b'), ...fields], { whenHere: 'grow' }))
    return merge({ theirs, here, chosen })
  }

  it('inserts a field after the nearest preceding field that the app has', () => {
    expect(uidsOf(grow(text('c'), text('d')).models[0]?.values.fields)).toEqual(['b', 'c', 'd', 'a', 'own'])
    const first = merge({ theirs: models(part('article', [text('z'), text('b')])), here })
    expect(uidsOf(first.models[0]?.values.fields)).toEqual(['z', 'b', 'a', 'own'])
    const withGone = models(part('article', [text('a'), text('gone'), text('new')]))
    const chosen = new Set([itemKey('field', 'new', 'article')])
    const behind = merge({ theirs: withGone, here, chosen })
    expect(uidsOf(behind.models[0]?.values.fields)).toEqual(['b', 'a', 'new', 'own'])
  })

  it('refuses fields individually, each with its reason', () => {
    const merged = grow(
      text('own'),
      reference('r', 'nowhere'),
      text('p', { pattern: { value: '(' } }),
      text('good'),
    )
    expect(told(merged)).toEqual([
      ['taken', 'article', 'own'],
      ['lacks', 'article', 'r'],
      ['invalid', 'article', 'p'],
    ])
    expect(merged.refusals[1]?.lacking).toEqual(['nowhere'])
    expect(uidsOf(merged.models[0]?.values.fields)).toEqual(['b', 'a', 'own', 'good'])
    expect(merged.models[0]?.values.titleField).toBe(here.models[0]?.titleField)
    const gone = merge({
      theirs: models(part('gone', [text('a')], { whenHere: 'grow' })),
      here,
      chosen: new Set(),
    })
    expect(told(gone)).toEqual([['gone', 'gone', null]])
  })

  it('refuses the 201st field of a model', () => {
    const many = Array.from({ length: 201 }, (_, index) => text(`f${index}`))
    const merged = merge({ theirs: models(part('m', many)), here: empty })
    expect(told(merged)).toEqual([['tooMany', 'm', 'f200']])
    expect(merged.models[0]?.values.fields).toHaveLength(200)
  })

  it('removes a condition on a refused field, and reports a condition on a missing field', () => {
    const merged = merge({
      theirs: models(
        part('m', [
          text('a'),
          reference('gone', 'nowhere'),
          text('b', { condition: { field: 'gone', is: 'filled' } }),
          text('c', { condition: { field: 'never', is: 'filled' } }),
          text('d', { condition: { field: 'a', is: 'filled' } }),
        ]),
      ),
      here: empty,
    })
    expect(issuesOf(merged.refusals)).toEqual([
      { path: 'models.0.fields.1.modelUid', code: 'InvalidValue' },
      { path: 'models.0.fields.3.condition.field', code: 'InvalidValue' },
    ])
    const conditions = merged.models[0]?.values.fields.map(({ uid, condition }) => [uid, condition?.field])
    expect(conditions).toEqual([
      ['a', undefined],
      ['b', undefined],
      ['c', undefined],
      ['d', 'a'],
    ])
  })

  it('leaves out fields that refer to missing models if `missingModels` is `leaveOut`', () => {
    const fields = [
      reference('self', 'page'),
      reference('gone', 'nowhere'),
      text('byline', { condition: { field: 'gone', is: 'filled' } }),
    ]
    const merged = merge({
      theirs: models(part('copy', fields)),
      here: made(models(part('page', []))),
      missingModels: 'leaveOut',
      renamedModels: new Map([['page', 'copy']]),
    })
    expect(merged.models[0]?.values.fields).toMatchObject([
      { uid: 'self', modelUid: 'copy' },
      { uid: 'byline' },
    ])
    expect(merged.leftOut.map(({ path, model }) => [path, model])).toEqual([
      ['gone', 'nowhere'],
      ['byline.condition', 'nowhere'],
    ])
    expect(merged.refusals).toEqual([])
  })

  it('refuses fields that cause a cycle of custom types, or nesting of more than 10 levels', () => {
    const circle = types(part('x', [custom('a', 'y'), text('t')]), part('y', [custom('a', 'x')]))
    const merged = merge({ theirs: circle, here: empty })
    expect(issuesOf(merged.refusals)).toEqual([
      {
        path: 'customFieldTypes.0.fields.0.customType',
        code: 'CircularType',
        params: { circle: 'x → y → x' },
      },
    ])
    expectWhole(merged.after)
    const chain = Array.from({ length: 11 }, (_, at) =>
      part(`t${at}`, at === 0 ? [] : [text('t'), custom('in', `t${at - 1}`)]),
    )
    const deep = merge({ theirs: types(...chain), here: empty })
    expect(issuesOf(deep.refusals)).toEqual([
      { path: 'customFieldTypes.10.fields', code: 'NestedTooDeeply', params: { maximum: 10 } },
    ])
    expect(uidsOf(deep.after.customTypes.at(-1)?.fields)).toEqual(['t'])
    // A model of the app may also become nested too deeply.
    const inApp = made({ customTypes: chain.slice(0, 10), models: [part('m', [custom('x', 't9')])] })
    const below = merge({
      theirs: types(part('t0', [custom('in', 'below')]), part('below', [])),
      here: inApp,
    })
    expect(below.refusals.some(({ issues }) => issues[0]?.code === 'NestedTooDeeply')).toBe(true)
  })
})

describe('the title field of a merged model', () => {
  const titled = (titleField: string | null | undefined, ...fields: FieldBody[]) => {
    const merged = merge({ theirs: models(part('m', fields, { titleField })), here: empty })
    const { fields: own = [], titleField: id } = merged.models[0]?.values ?? {}
    return [own.find(({ _id }) => _id === id)?.uid ?? null, issuesOf(merged.refusals)]
  }
  const wrong = [{ path: 'models.0.titleField', code: 'InvalidValue' }]

  it('is the requested field, the first suitable field, or null', () => {
    const count = { ...text('count'), type: 'NUMBER' }
    expect(titled('b', text('a'), text('b'))).toEqual(['b', []])
    expect(titled(undefined, count, text('b'))).toEqual(['b', []])
    expect(titled(null, text('a'))).toEqual([null, []])
    expect(titled('nothing', text('a'))).toEqual(['a', wrong])
    expect(titled('count', count)).toEqual([null, wrong])
  })
})

describe('mergeSchema', () => {
  it('keeps a model or custom type chosen for removal if a remaining model or type refers to it', () => {
    const here = made({
      customTypes: [part('a', []), part('b', [custom('x', 'a')]), part('c', [])],
      models: [
        part('m', [custom('x', 'b')]),
        part('n', [reference('x', 'm')]),
        part('o', [reference('x', 'n')]),
      ],
    })
    const keys = ['customType:a', 'customType:b', 'customType:c', 'model:n', 'model:o', 'model:m']
    const nothing: IncomingSchema = { customTypes: [], models: [] }
    const all = merge({ theirs: nothing, here, chosen: new Set(keys) })
    expect([uidsOf(all.removed.models), uidsOf(all.removed.customTypes), all.refusals]).toEqual([
      ['m', 'n', 'o'],
      ['a', 'b', 'c'],
      [],
    ])
    const some = merge({ theirs: nothing, here, chosen: new Set(keys.filter((key) => key !== 'model:o')) })
    expect([uidsOf(some.removed.models), uidsOf(some.removed.customTypes)]).toEqual([[], ['c']])
    expect(told(some)).toEqual([
      ['used', 'm', null],
      ['used', 'n', null],
      ['used', 'a', null],
      ['used', 'b', null],
    ])
    expectWhole(some.after)
  })

  it('refuses views with a missing model, an unknown type or an unknown setting, and reports the paths', () => {
    const views = [
      { modelUid: 'nowhere', name: 'v', type: 'TABLE', settings: {} },
      { modelUid: 'm', name: 'v', type: 'NOTHING', settings: { more: 1 } },
      { modelUid: 'm', name: 'w', type: 'LIST', settings: {} },
    ]
    const merged = merge({ theirs: { ...models(part('m', [])), views }, here: empty })
    expect(issuesOf(merged.refusals)).toEqual([
      { path: 'views.0.modelUid', code: 'InvalidValue' },
      { path: 'views.1.type', code: 'InvalidValue' },
      { path: 'views.1.settings.more', code: 'UnknownField' },
    ])
    expect(merged.views.map(({ values }) => values?.name)).toEqual(['w'])
  })
})
