import { describe, expect, it } from 'vitest'
import type { FieldTypeName } from '#shared/fields/index.ts'
import { checkDraft } from './check-draft.ts'
import { type FieldDraft, type ModelDraft, newField } from './draft.ts'
import { issueAt, placeIssue } from './issues.ts'

const around = {
  kind: 'model',
  uid: 'article',
  modelUids: ['article', 'author'],
  customTypeUids: ['faq'],
} as const

function draft(fields: FieldDraft[], parts: Partial<ModelDraft> = {}): ModelDraft {
  return { name: '記事', uid: 'article', description: '', titleField: null, fields, ...parts }
}

function make(type: FieldTypeName, parts: Record<string, unknown> = {}): FieldDraft {
  return { ...newField(type, { uid: 'x', name: 'X', key: 'k' }), ...parts } as FieldDraft
}

const problems = (type: FieldTypeName, parts: Record<string, unknown>) =>
  checkDraft(draft([make(type, parts)]), around).map(({ key, property, code, params }) => {
    expect(key).toBe('k')
    return params ? [property, code, params] : [property, code]
  })

describe('checkDraft', () => {
  it('finds no issues in a new text, number, date or checkbox field with default settings', () => {
    for (const type of ['TEXT', 'RICH_TEXT', 'MARKDOWN', 'NUMBER', 'DATE', 'CHECKBOX'] as const)
      expect(problems(type, {}), type).toEqual([])
  })

  it('accepts reserved uids only if they are already saved', () => {
    const kept = { ...make('TEXT', { uid: 'fmt' }), _id: 'f'.repeat(24) }
    const known = {
      ...around,
      uid: 'duplicate',
      fieldUids: new Map([[kept._id, 'fmt']]),
      modelUids: ['duplicate'],
    }
    expect(checkDraft(draft([kept], { uid: 'duplicate' }), known)).toEqual([])
    expect(checkDraft(draft([make('TEXT', { uid: 'fmt' })], { uid: 'models' }), known)).toEqual([
      { key: null, property: 'uid', code: 'ReservedWord' },
      { key: 'k', property: 'uid', code: 'ReservedWord' },
    ])
  })

  it.each<[FieldTypeName, Record<string, unknown>, unknown[]]>([
    ['TEXT', { uid: '' }, [['uid', 'Required']]],
    ['TEXT', { uid: '日本' }, [['uid', 'InvalidFormat']]],
    ['TEXT', { uid: '_sys' }, [['uid', 'ReservedWord']]],
    ['TEXT', { uid: 'x'.repeat(65) }, [['uid', 'InvalidFormat']]],
    ['TEXT', { name: ' ' }, [['name', 'Required']]],
    ['TEXT', { name: '字'.repeat(101) }, [['name', 'TooManyCharacters', { maximum: 100 }]]],
    ['TEXT', { minLength: 5, maxLength: 4 }, [['maxLength', 'TooSmallValue', { minimum: 5 }]]],
    ['TEXT', { maxLength: 1.5 }, [['maxLength', 'InvalidType']]],
    ['TEXT', { pattern: '[' }, [['pattern', 'InvalidFormat']]],
    ['TEXT', { pattern: '(?=x)' }, [['pattern', 'InvalidFormat']]],
    [
      'TEXT',
      { maxLength: 2, defaultValue: '長い値' },
      [['defaultValue', 'TooManyCharacters', { maximum: 2, actual: 3 }]],
    ],
    ['NUMBER', { min: 3, max: 1 }, [['max', 'TooSmallValue', { minimum: 3 }]]],
    ['NUMBER', { max: 1, defaultValue: 2 }, [['defaultValue', 'TooLargeValue', { maximum: 1 }]]],
    ['SELECT', {}, [['options', 'Required']]],
    [
      'SELECT',
      { options: [{ value: '', label: '' }] },
      [['options.0.value', 'TooFewCharacters', { minimum: 1 }]],
    ],
    ['SELECT', { options: [{ value: 'a' }, { value: 'a' }] }, [['options.1.value', 'DuplicatedValue']]],
    ['SELECT', { valueType: 'number', options: [{ value: 'a' }] }, [['options.0.value', 'InvalidType']]],
    ['REFERENCE', {}, [['modelUid', 'Required']]],
    ['REFERENCE', { modelUid: 'nothing' }, [['modelUid', 'InvalidValue']]],
    ['REFERENCE', { modelUid: 'author' }, []],
  ])('returns the issues of a %s field with %j', (type, parts, expected) => {
    expect(problems(type, parts)).toEqual(expected)
  })

  it('reports a duplicate uid at the second field', () => {
    const issues = checkDraft(draft([make('TEXT', { key: 'a' }), make('TEXT', { key: 'b' })]), around)
    expect(issues).toEqual([{ key: 'b', property: 'uid', code: 'DuplicatedValue' }])
  })

  it("reports issues of the model's own settings", () => {
    expect(checkDraft(draft([], { name: ' ', uid: 'apps' }), around)).toEqual([
      { key: null, property: 'name', code: 'Required' },
      { key: null, property: 'uid', code: 'ReservedWord' },
    ])
    expect(checkDraft(draft([], { uid: 'author' }), around)).toEqual([
      { key: null, property: 'uid', code: 'DuplicatedValue' },
    ])
    const number = make('NUMBER')
    expect(checkDraft(draft([number], { titleField: 'k' }), around)).toEqual([
      { key: null, property: 'titleField', code: 'InvalidValue' },
    ])
  })
})

describe('placeIssue and issueAt', () => {
  const sent = draft([make('TEXT', { key: 'a' }), make('TEXT', { key: 'b' })])

  it.each([
    ['fields.1.uid', { key: 'b', property: 'uid' }],
    ['data.fields.0.options.2.value', { key: 'a', property: 'options.2.value' }],
    ['fields.1', { key: 'b', property: '' }],
    ['fields.7.uid', { key: null, property: 'fields.7.uid' }],
    ['data.uid', { key: null, property: 'uid' }],
    ['titleField', { key: null, property: 'titleField' }],
    ['', { key: null, property: '' }],
  ])('placeIssue maps the path %j to %j', (path, expected) => {
    expect(placeIssue({ path, code: 'InvalidValue' }, sent)).toEqual({ ...expected, code: 'InvalidValue' })
  })

  it('issueAt finds issues below a setting only with `deep`', () => {
    const issues = [placeIssue({ path: 'fields.0.options.2.value', code: 'Required' }, sent)]
    expect(issueAt(issues, 'a', 'options')).toBeUndefined()
    expect(issueAt(issues, 'a', 'options', true)?.property).toBe('options.2.value')
  })
})
