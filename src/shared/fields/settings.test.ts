import { describe, expect, it } from 'vitest'
import { type FieldInput, fieldSchema } from './index.ts'
import { fieldIssues } from './settings.ts'

const check = (settings: Record<string, unknown> & { type: FieldInput['type'] }) => {
  const field = fieldSchema.parse({ _id: '0'.repeat(24), uid: 'f', name: 'f', ...settings })
  const environment = {
    compiles: (pattern: string) => pattern !== '(',
    hasModel: (uid: string) => uid === 'm',
    hasCustomType: () => false,
  }
  return fieldIssues(field, environment).map(({ path, code }) => [path, code])
}

describe('fieldIssues', () => {
  it('returns no issues for valid fields', () => {
    expect(
      check({ type: 'TEXT', unique: true, multiple: true, minLength: 1, maxLength: 1, pattern: 'x' }),
    ).toEqual([])
    expect(check({ type: 'NUMBER', unique: true, min: 0, max: 0 })).toEqual([])
    expect(check({ type: 'SELECT', multiple: true, options: [{ value: '1' }, { value: '2' }] })).toEqual([])
    expect(check({ type: 'REFERENCE', multiple: true, modelUid: 'm', minItems: 1, maxItems: 1 })).toEqual([])
  })

  it('returns the issues of an invalid field together', () => {
    const settings = { uid: 'or', multiple: true, unique: true, minItems: 2, maxItems: 1 }
    expect(check({ type: 'MARKDOWN', ...settings, minLength: 2, maxLength: 1 })).toEqual([
      ['uid', 'ReservedWord'],
      ['multiple', 'InvalidValue'],
      ['unique', 'InvalidValue'],
      ['maxItems', 'TooSmallValue'],
      ['maxLength', 'TooSmallValue'],
    ])
    expect(check({ type: 'TEXT', pattern: '(' })).toEqual([['pattern', 'InvalidFormat']])
    expect(check({ type: 'REFERENCE', modelUid: 'n' })).toEqual([['modelUid', 'InvalidValue']])
    expect(check({ type: 'NUMBER', min: 1, max: 0 })).toEqual([['max', 'TooSmallValue']])
    expect(
      check({ type: 'SELECT', valueType: 'number', options: [{ value: 1 }, { value: 1 }, { value: '1' }] }),
    ).toEqual([
      ['options.1.value', 'DuplicatedValue'],
      ['options.2.value', 'InvalidType'],
    ])
  })
})
