import { expect, it } from 'vitest'
import { type Field, fieldSchema } from '#shared/fields/index.ts'
import { carryValues } from './carry-values.ts'

const field = (index: number, more: object): Field =>
  fieldSchema.parse({ _id: String(index).padStart(24, '0'), name: '紹介文', type: 'TEXT', ...more })

const summary = field(1, { uid: 'summary' })

it('carryValues assigns a value to the field with the same _id, even if another field has the old uid', () => {
  const after = [field(2, { uid: 'summary' }), field(1, { uid: 'intro' })]
  expect(carryValues({ summary: '春' }, [summary], after)).toEqual({ values: { intro: '春' }, left: [] })
})

it('carryValues returns the value of a removed field in `left` unless the value is empty', () => {
  expect(carryValues({ summary: '春' }, [summary], [])).toEqual({
    values: {},
    left: [{ name: '紹介文', value: '春' }],
  })
  expect(carryValues({ summary: '' }, [summary], []).left).toEqual([])
})

it('carryValues converts values that fit the new type, and returns other values unchanged in `left`', () => {
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

it('carryValues matches values by uid if the earlier fields are unknown', () => {
  expect(carryValues({ summary: '春', gone: 'x' }, [], [summary])).toEqual({
    values: { summary: '春' },
    left: [{ name: 'gone', value: 'x' }],
  })
})
