import { describe, expect, it } from 'vitest'
import type { FormField } from './fields.ts'
import { checkSubmission, isEmail } from './rules.ts'

const text = { ja: '', en: '' }
const environment = {
  matches: (pattern: string, value: string) => new RegExp(pattern, 'u').test(value),
  countCharacters: (value: string) => [...value].length,
}
const field = (type: FormField['type'], more: object = {}) =>
  ({ type, name: 'f', label: text, help: text, message: text, required: false, ...more }) as FormField
const options = (...values: string[]) => ({ options: values.map((value) => ({ value, label: text })) })

/** Returns the code of the broken rule of a field with this value. undefined: none. */
const check = (of: FormField, value?: string | string[]) =>
  checkSubmission([of], value === undefined ? [] : [{ name: 'f', value }], [], environment)[0]?.code

describe('checkSubmission', () => {
  it.each<[FormField, (string | string[] | undefined)[]]>([
    [field('text'), [undefined, '', ' ', 'a', ['', 'a']]],
    [field('text', { minLength: 2, maxLength: 3, pattern: '^a' }), ['', 'ab', 'a😀😀']],
    [field('textarea', { maxLength: 3 }), ['a\r\nb']],
    [field('email'), ['a@b.jp', ' 花子@例え.jp ', 'a.b+c@sub.example.com']],
    [
      field('phone'),
      ['03-1234-5678', '０３－１２３４－５６７８', '03ー1234ー5678', '+81 (3) 1234 5678', '09012345678'],
    ],
    [field('number', { min: -1, max: 2000, integer: true }), ['-1', '１２３', '1,234', '−1', ' 5 ', '+5']],
    [field('date'), ['2026-02-28', '２０２６－１１－２８']],
    [field('choice', options('a', 'b')), ['a', '']],
    [field('checkboxes', { ...options('a', 'b'), minItems: 1, maxItems: 2 }), ['a', ['a', 'b'], []]],
    [field('consent', { required: true }), ['on', 'true', '同意する', ['', 'yes']]],
    [field('text', { required: true }), ['a']],
  ])('accepts for %j all of %j', (of, values) => {
    expect(values.map((value) => check(of, value))).toEqual(values.map(() => undefined))
  })

  it.each<[FormField, [string | string[] | undefined, string][]]>([
    [
      field('text', { required: true }),
      [
        [undefined, 'Required'],
        ['', 'Required'],
        ['　', 'Required'],
      ],
    ],
    [field('text'), [[['a', 'b'], 'TooManyItems']]],
    [
      field('text', { minLength: 2, maxLength: 3, pattern: '^a' }),
      [
        ['a', 'TooFewCharacters'],
        ['abcd', 'TooManyCharacters'],
        ['bb', 'InvalidValue'],
      ],
    ],
    [
      field('email'),
      [
        ['a', 'InvalidFormat'],
        ['a@b', 'InvalidFormat'],
        ['a@b.jp, c@d.jp', 'InvalidFormat'],
        [`${'a'.repeat(400)}@b.jp`, 'InvalidFormat'],
      ],
    ],
    [
      field('phone'),
      [
        ['abc', 'InvalidFormat'],
        ['12', 'InvalidFormat'],
        ['1'.repeat(21), 'InvalidFormat'],
      ],
    ],
    [
      field('number', { min: 1, max: 5, integer: true }),
      [
        ['x', 'InvalidFormat'],
        ['1e3', 'InvalidFormat'],
        ['0', 'TooSmallValue'],
        ['6', 'TooLargeValue'],
        ['1.5', 'InvalidValue'],
        ['9'.repeat(30), 'InvalidValue'],
      ],
    ],
    [
      field('date'),
      [
        ['2026-02-30', 'InvalidValue'],
        ['2026/02/28', 'InvalidValue'],
        ['2026-02-28T10:00:00Z', 'InvalidValue'],
      ],
    ],
    [
      field('choice', options('a')),
      [
        ['b', 'InvalidValue'],
        [['a', 'a'], 'TooManyItems'],
      ],
    ],
    [
      field('checkboxes', { ...options('a', 'b'), minItems: 2, maxItems: 2, required: true }),
      [
        [[], 'Required'],
        ['a', 'TooFewItems'],
        [['a', 'c'], 'InvalidValue'],
        [['a', 'b', 'a'], 'TooManyItems'],
      ],
    ],
    [
      field('consent', { required: true }),
      [
        [undefined, 'Required'],
        ['false', 'Required'],
        ['0', 'Required'],
        ['off', 'Required'],
      ],
    ],
  ])('rejects for %j: %j', (of, values) => {
    expect(values.map(([value]) => check(of, value))).toEqual(values.map(([, code]) => code))
  })

  it('checks the number, the types and the fields of files', () => {
    const photos = field('file', { name: 'photos', accept: 'image/*,.pdf', maxFiles: 2, required: true })
    const file = (name: string, fileName: string, type: string) => ({ name, fileName, type })
    const image = file('photos', 'a.png', 'image/png')
    const issues = (...files: ReturnType<typeof file>[]) => checkSubmission([photos], [], files, environment)
    expect(issues(image, file('photos', 'B.PDF', 'application/octet-stream'))).toEqual([])
    expect(issues()).toEqual([{ path: 'photos', code: 'Required' }])
    expect(issues(image, image, image)).toEqual([
      { path: 'photos', code: 'TooManyItems', params: { maximum: 2 } },
    ])
    expect(issues(file('photos', 'a.exe', 'application/octet-stream'))).toEqual([
      { path: 'photos', code: 'InvalidType' },
    ])
    expect(issues(image, file('__proto__', 'a.png', 'image/png'))).toEqual([
      { path: '__proto__', code: 'UnknownField' },
    ])
  })

  it('does not check a form without fields', () => {
    const file = { name: 'a', fileName: 'a', type: '' }
    expect(checkSubmission([], [{ name: 'a', value: 'b' }], [file], environment)).toEqual([])
  })
})

describe('isEmail', () => {
  it('takes linear time', () => {
    for (const text of [`a@${'b.'.repeat(500_000)}`, `${'a'.repeat(1_000_000)}@`, '@'.repeat(1_000_000)])
      expect(isEmail(text)).toBe(false)
  })
})
