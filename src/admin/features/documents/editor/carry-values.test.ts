import { expect, it } from 'vitest'
import { type Field, fieldSchema } from '#shared/fields/index.ts'
import { carryValues } from './carry-values.ts'

const field = (index: number, more: object): Field =>
  fieldSchema.parse({ _id: String(index).padStart(24, '0'), name: '紹介文', type: 'TEXT', ...more })

const summary = field(1, { uid: 'summary' })

it('follows a field whose uid changed, also where its old uid belongs to another field now', () => {
  const after = [field(2, { uid: 'summary' }), field(1, { uid: 'intro' })]
  expect(carryValues({ summary: '春' }, [summary], after)).toEqual({ values: { intro: '春' }, left: [] })
})

it('leaves what has no field any more to be copied, but nothing that is empty', () => {
  expect(carryValues({ summary: '春' }, [summary], [])).toEqual({
    values: {},
    left: [{ name: '紹介文', value: '春' }],
  })
  expect(carryValues({ summary: '' }, [summary], []).left).toEqual([])
})

it('converts what the new type can hold, and leaves the rest whole', () => {
  const number = [field(1, { uid: 'summary', type: 'NUMBER' })]
  expect(carryValues({ summary: '12' }, [summary], number).values).toEqual({ summary: 12 })
  expect(carryValues({ summary: '春' }, [summary], number)).toEqual({
    values: {},
    left: [{ name: '紹介文', value: '春' }],
  })
  const one = [field(1, { uid: 'tags' })]
  const several = [field(1, { uid: 'tags', multiple: true })]
  expect(carryValues({ tags: '春' }, one, several).values).toEqual({ tags: ['春'] })
  expect(carryValues({ tags: ['春', '夏'] }, several, one).left).toEqual([
    { name: '紹介文', value: ['春', '夏'] },
  ])
})

it('keeps a value as it is where nothing is known of the fields it was typed into', () => {
  expect(carryValues({ summary: '春', gone: 'x' }, [], [summary])).toEqual({
    values: { summary: '春' },
    left: [{ name: 'gone', value: 'x' }],
  })
})
