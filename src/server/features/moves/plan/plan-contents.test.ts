import { describe, expect, it } from 'vitest'
import type { MovePlan, PlannedField } from '#shared/contract/move-plans.ts'
import { movePlanSchema } from '#shared/contract/move-plans.ts'
import { archiveOf } from '#test/archive-in-memory.ts'
import { lostValues } from '#test/lost-values.ts'
import { ids, sampleSpace } from '#test/newt-stand-in/sample-space.ts'
import { addContent, emptySpace, idOf, type Stored, type StoredSpace } from '#test/newt-stand-in/space.ts'
import { movePlanFor } from './plan-contents.ts'

const nowhere = {
  language: 'ja',
  isAppTaken: async () => false,
  takenDocuments: async () => [],
  takenAssets: async () => [],
} as const

const planOf = (space: StoredSpace, options: Parameters<typeof archiveOf>[1] = {}) =>
  movePlanFor(archiveOf(space, options), nowhere)

/** Returns a space with a model that has these values, one per content. */
function spaceOf(values: Stored[], key = 'field'): StoredSpace {
  const space = emptySpace()
  for (const [index, value] of values.entries())
    addContent(space, 'thing', {
      id: idOf(0x500 + index),
      createdAt: `2024-01-01T00:00:${String(index % 60).padStart(2, '0')}.000Z`,
      draft: { title: `題 ${index}`, [key]: value },
    })
  return space
}

const fieldIn = (plan: MovePlan, path: string): PlannedField => {
  const [owner, key] = path.split('.')
  const found = [...plan.models, ...plan.customTypes]
    .find(({ uid }) => uid === owner)
    ?.fields.find(({ from }) => from === key)
  if (!found) throw new Error(`no field ${path}`)
  return found
}
const recognised = async (values: Stored[], key?: string) => {
  const { field, choices } = fieldIn(await planOf(spaceOf(values, key)), `thing.${key ?? 'field'}`)
  const { type, multiple, inputType } = field
  return { type, multiple, inputType, why: choices[0]?.why.code }
}

/** Returns the values that the choices of the space's plan lose. */
async function lostOf(space: StoredSpace): Promise<string[]> {
  const source = archiveOf(space)
  return lostValues(source, await movePlanFor(source, nowhere))
}

describe('movePlanFor', () => {
  it('keeps uids reserved for future use, changes a uid that equals a query parameter, and reports both', async () => {
    const space = emptySpace()
    addContent(space, 'live', {
      id: idOf(1),
      createdAt: '2024-01-01T00:00:00.000Z',
      draft: { title: '題', token: 'a', at: '2024-01-01', search: 'x' },
    })
    const plan = await planOf(space)
    expect(plan.models.map(({ uid }) => uid)).toEqual(['live'])
    const uids = Object.fromEntries(plan.models[0]?.fields.map(({ from, field }) => [from, field.uid]) ?? [])
    expect(uids).toMatchObject({ title: 'title', token: 'token', at: 'at' })
    // No uid may equal a query parameter of the delivery API.
    expect(uids.search).not.toBe('search')
    const told = plan.problems.flatMap(({ code, path }) =>
      code.startsWith('uid') ? [`${code} ${path}`] : [],
    )
    expect(told.sort()).toEqual([
      'uidChanged live.search',
      'uidReserved live',
      'uidReserved live.at',
      'uidReserved live.token',
    ])
  })

  it('recognises field types, document states and problems in the sample space', async () => {
    const gaps = [
      {
        kind: 'reference',
        id: idOf(0xdead),
        uses: 1,
        usedBy: [{ view: 'api', model: 'article', content: ids.everything, field: 'noReference' }],
      },
      {
        kind: 'asset',
        url: 'https://demo.assets.newt.so/v1/dead/lost.png',
        reason: '404',
        uses: 2,
        usedBy: [],
      },
    ]
    const models = [...sampleSpace().models.keys()].filter((uid) => uid !== 'staff-member')
    const plan = await planOf(sampleSpace(), { models, gaps })
    expect(movePlanSchema.parse(plan)).toEqual(plan)
    const types = Object.fromEntries(
      plan.models[0]?.fields.map(({ from, field }) => [from, `${field.type}${field.multiple ? '*' : ''}`]) ??
        [],
    )
    expect(types).toEqual({
      title: 'TEXT',
      slug: 'TEXT',
      lines: 'TEXT*',
      body: 'RICH_TEXT',
      markdown: 'MARKDOWN',
      plain: 'TEXT',
      number: 'NUMBER',
      big: 'TEXT',
      huge: 'NUMBER',
      noNumber: 'TEXT',
      date: 'DATE',
      image: 'IMAGE',
      images: 'FILE*',
      noImage: 'TEXT',
      files: 'FILE*',
      select: 'TEXT',
      selects: 'TEXT*',
      flag: 'CHECKBOX',
      color: 'COLOR',
      emoji: 'EMOJI',
      map: 'MAP',
      author: 'REFERENCE',
      coAuthors: 'REFERENCE*',
      category: 'REFERENCE',
      editor: 'REFERENCE',
      noReference: 'TEXT',
      custom: 'CUSTOM',
      customs: 'CUSTOM*',
      multi: 'MULTI_TYPE*',
      embed: 'EMBED',
    })
    expect(plan.models.map(({ uid, source, documents }) => [uid, source, documents])).toEqual([
      ['article', 'contents', { draft: 1, published: 3, changed: 1, unpublished: 1 }],
      ['author', 'contents', { draft: 1, published: 1, changed: 0, unpublished: 0 }],
      ['category', 'contents', { draft: 0, published: 1, changed: 0, unpublished: 0 }],
      ['empty', 'contents', { draft: 0, published: 0, changed: 0, unpublished: 0 }],
      // The archive lacks the name of this model. Its only content is the copy in the article.
      ['editor', 'copies', { draft: 0, published: 1, changed: 0, unpublished: 0 }],
    ])
    expect(plan.models[0]).toMatchObject({ name: '記事', titleField: 'title' })
    expect(fieldIn(plan, 'article.editor').field).toMatchObject({ modelUid: 'editor', name: 'editor' })
    expect(fieldIn(plan, 'article.multi').field.types).toMatchObject([
      { type: 'TEXT' },
      { type: 'IMAGE' },
      { type: 'REFERENCE', modelUid: 'category' },
      { type: 'CUSTOM', customType: 'cta' },
      { type: 'MAP' },
    ])
    const found = plan.problems.map(({ code, path, count }) => `${code} ${path} ${count}`)
    expect(found).toEqual(
      expect.arrayContaining([
        'brokenReferences article.noReference 1',
        'missingAssets  1',
        'copiesOnly editor 1',
        'longNumbers article.big 1',
        'sanitizedHtml article.body 1',
        'emptyTitles article.title 1',
        'emptyModels empty 0',
        'notInApi  0',
      ]),
    )
  })

  it('offers only field types that keep the sample values or report their loss', async () => {
    expect(await lostOf(sampleSpace())).toEqual([])
    const odd: Stored[] = [
      'text',
      'a < b & "c"',
      '<p>x</p>',
      { $raw: '9007199254740993' },
      { $raw: '-0.5e-3' },
      { $raw: '0.12345678901234567890' },
      true,
      null,
      ['a', ['b'], { c: 1 }],
      { lat: 1, lng: 2 },
      { lat: 100, lng: 2 },
      { type: 'emoji', value: 'no emoji' },
      { キー: 1, b: { c: [{ d: null }] } },
      { _id: idOf(7), label: 'single with an id' },
      '2024-02-30T00:00:00.000Z',
      '2024-02-03T00:00:00+09:00',
      '#FFF',
      '#FF8800',
      'nul \u0000 and \ud800 alone',
    ]
    for (const one of odd) expect(await lostOf(spaceOf([one])), JSON.stringify(one)).toEqual([])
    for (const one of odd.slice(1)) expect(await lostOf(spaceOf([odd[0] ?? '', one]))).toEqual([])
    expect(await lostOf(spaceOf(odd))).toEqual([])
  })

  it('lists the kinds of HTML that will be removed, and counts the values with HTML of Quill', async () => {
    const plan = await planOf(
      spaceOf([
        ...Array.from({ length: 40 }, () => '<p>x</p>'),
        '<p align="center">x</p><p><font color="red">赤</font><font>字</font></p>',
        '<ul><li>一</li><li class="ql-indent-1">二</li></ul>',
        `<p>${'長'.repeat(30_000)}</p><video autoplay src="https://a.example/v.mp4"></video>`,
      ]),
    )
    const told = plan.problems.filter(({ path }) => path === 'thing.field')
    expect(told).toEqual([
      {
        code: 'sanitizedHtml',
        path: 'thing.field',
        count: 2,
        examples: ['<font> ×2', '<p align> ×1', '<video autoplay> ×1'],
      },
      { code: 'quillHtml', path: 'thing.field', count: 1, examples: [] },
    ])
  })

  it('distinguishes field types whose values look alike', async () => {
    const day = '2024-05-01T00:00:00.000Z'
    const hour = '2024-05-01T09:30:00.000Z'
    const many = <T>(values: T[], times: number) => Array.from({ length: times }, () => values).flat()
    expect(await recognised([day, day, day])).toMatchObject({ type: 'DATE', inputType: 'date' })
    expect(await recognised([day, hour])).toMatchObject({ type: 'DATE', inputType: 'datetime' })
    expect(await recognised(['1970-01-01T09:30:00.000Z'])).toMatchObject({ inputType: 'time' })
    // A date without a time would be delivered as a timestamp.
    expect(await recognised(['2024-05-01'])).toMatchObject({ type: 'TEXT' })
    expect(await recognised(['一行'])).toMatchObject({ type: 'TEXT', inputType: 'inputText' })
    expect(await recognised(['一行', '二\n行'])).toMatchObject({ inputType: 'textarea', why: 'lines' })
    expect(await recognised(many(['赤', '青', '黄'], 5), 'kind')).toMatchObject({ type: 'SELECT' })
    expect(await recognised(['赤', '青', '黄'], 'kind')).toMatchObject({ type: 'TEXT' })
    expect(await recognised(many(['佐藤', '鈴木'], 5), 'fullName')).toMatchObject({ type: 'TEXT' })
    expect(await recognised([['赤'], 'x'])).toMatchObject({ type: 'TEXT', multiple: true })
    expect(await recognised([[], []])).toMatchObject({ multiple: true, why: 'noValues' })
    const large = { $raw: '1e21' }
    expect(await recognised([3, large, { $raw: '5e-7' }, 12.5])).toMatchObject({ type: 'NUMBER' })
    expect(await recognised([3, 4, large])).toMatchObject({ type: 'TEXT', why: 'longNumbers' })
    expect(await recognised(many([3, 4, large, large], 4))).toMatchObject({
      type: 'TEXT',
      why: 'longNumbers',
    })
    expect(await recognised([...many([3], 38), large, large])).toMatchObject({ type: 'NUMBER' })
    expect(await recognised([...many([3], 37), large, large])).toMatchObject({ type: 'TEXT' })
    expect(await recognised([{ $raw: '0.1234567890123456789' }])).toMatchObject({ type: 'NUMBER' })
    expect(await recognised([1, 'x'])).toMatchObject({ type: 'TEXT', why: 'mixedKinds' })
    expect(await recognised([{ a: 1 }, { b: 2 }])).toMatchObject({ type: 'CUSTOM' })
    expect(await recognised([{ a: 1 }, 'x'])).toMatchObject({ type: 'TEXT', why: 'mixedKinds' })
  })

  it('lists the numbers that a number field leaves out', async () => {
    const values = [3, { $raw: '1e21' }, { $raw: '5e-7' }, 12.5, { $raw: '-12345678901234567890' }]
    const { problems } = await planOf(spaceOf([...values, ...Array.from({ length: 35 }, () => 7)]))
    expect(problems.filter(({ code }) => /^(?:long|mixed|numbers)/.test(code))).toEqual([
      expect.objectContaining({
        code: 'numbersLeftOut',
        path: 'thing.field',
        count: 2,
        examples: ['1e21', '-12345678901234567890'],
      }),
    ])
  })

  it('plans one field for references to three models, and a text field for references to 21 models', async () => {
    const spaceWith = (others: number) => {
      const ids = Array.from({ length: others }, (_, index) => idOf(0x900 + index))
      const space = spaceOf([{ $ref: idOf(0x501) }, ...ids.map((id) => ({ $ref: id }))])
      for (const [index, id] of ids.entries())
        addContent(space, `other${index}`, {
          id,
          createdAt: '2024-01-01T00:00:00.000Z',
          draft: { name: 'x' },
        })
      return space
    }
    expect(fieldIn(await planOf(spaceWith(2)), 'thing.field').field).toMatchObject({
      type: 'REFERENCE',
      modelUid: 'thing',
      otherModelUids: ['other0', 'other1'],
    })
    const plan = await planOf(spaceWith(20))
    expect(fieldIn(plan, 'thing.field').field).toMatchObject({ type: 'TEXT' })
    expect(plan.problems).toContainEqual(expect.objectContaining({ code: 'severalTargets' }))
  })

  it('reports the invalid lines of a hostile archive, and rejects newer and unknown manifests', async () => {
    const space = sampleSpace()
    const plan = await planOf(space, {
      models: ['author'],
      lines: (path, lines) =>
        path !== 'contents/api/author.ndjson'
          ? lines
          : [
              ...lines,
              'no json',
              '[]',
              `{"_id":"${idOf(1)}","x":${'['.repeat(5_000)}${']'.repeat(5_000)}}`,
              `{"_id":"${idOf(2)}","__proto__":{"polluted":true},"constructor":"c","select":"s","日本語":"j","name":"${'長'.repeat(1000)}"}`,
              `{"_id":"${idOf(3)}","name":"${'x'.repeat(2_000_000)}"}`,
              '{"_id":"../../etc","name":"odd id"}',
              `{"_id":"${idOf(4)}",${Array.from({ length: 300 }, (_, n) => `"key${n}":${n}`)}}`,
            ],
    })
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    const [author] = plan.models
    expect(author?.fields).toHaveLength(200)
    for (const { field } of author?.fields ?? []) expect(field.uid).toMatch(/^[A-Za-z][\w-]*$/)
    const problems = Object.fromEntries(plan.problems.map((problem) => [problem.code, problem]))
    expect(problems).toMatchObject({
      unreadableContents: { path: 'author', count: 3 },
      largeContents: { path: 'author', count: 1, examples: [idOf(3)] },
      idsMade: { path: 'author', count: 1, examples: ['../../etc'] },
      tooManyFields: { path: 'author', params: { maximum: 200 } },
      uidChanged: { params: { to: expect.any(String) } },
    })
    await expect(
      planOf(space, { manifest: (manifest) => ({ ...manifest, formatVersion: 3 }) }),
    ).rejects.toMatchObject({ reason: 'newer' })
    await expect(planOf(space, { manifest: () => ({}) })).rejects.toMatchObject({ reason: 'other' })
  })
})
