import { describe, expect, it } from 'vitest'
import { aForm } from '../testing.ts'
import {
  changeDraft,
  copyOf,
  draftsOf,
  findIssues,
  newDraft,
  placeIssue,
  suggestName,
} from './field-drafts.ts'

const none: ReadonlySet<string> = new Set()
const form = aForm()

describe('suggestName', () => {
  it.each([
    ['Company name', 'company_name'],
    ['メールアドレス', 'email'],
    ['公開日', 'published_at'],
    ['', 'text'],
  ])('suggests a name for the label %j: %s', (label, name) => {
    expect(suggestName(label, 'text', none)).toBe(name)
  })

  it('uses the reading of a label, and skips taken and reserved names', () => {
    expect(suggestName('御社名', 'text', none, 'おんしゃめい')).toBe('onshamei')
    expect(suggestName('Email', 'email', new Set(['email', 'email_2']))).toBe('email_3')
    expect(suggestName('imori', 'text', none)).toBe('imori')
  })
})

describe('changeDraft', () => {
  it('suggests the name of a new field until the user edits it', () => {
    const added = newDraft('text', [])
    const relabel = (drafts: readonly (typeof added)[], ja: string) =>
      changeDraft(drafts, added.key, { label: { ja, en: '' } })
    let drafts = relabel([added], '会社')
    expect(drafts[0]?.field.name).toBe('company')
    drafts = changeDraft(drafts, added.key, { name: 'firm' })
    drafts = relabel(drafts, '住所')
    expect(drafts[0]?.field.name).toBe('firm')
  })

  it('keeps the name of a saved field when its label changes', () => {
    const [saved, ...others] = draftsOf(form.fields)
    const [changed] = changeDraft([saved!, ...others], saved!.key, { label: { ja: '住所', en: '' } })
    expect(changed?.field).toMatchObject({ name: 'name', label: { ja: '住所' } })
  })
})

it('`copyOf` returns a copy with a free name', () => {
  const drafts = draftsOf(form.fields)
  const copy = copyOf(drafts[1]!, drafts)
  expect(copy.field).toEqual({ ...drafts[1]!.field, name: 'email_2' })
  expect(copyOf(copy, [...drafts, copy]).field.name).toBe('email_3')
})

describe('findIssues', () => {
  it('finds no issue in the fields of a form', () => {
    expect(findIssues(form, draftsOf(form.fields))).toEqual([])
  })

  it('finds issues of the contract and contradictions, with the field and the property', () => {
    const drafts = draftsOf([
      ...form.fields,
      { ...form.fields[0]!, label: { ja: ' ', en: '' } },
      { ...form.fields[0]!, name: '_charset_', type: 'text', minLength: 5, maxLength: 2, pattern: '(' },
      {
        ...form.fields[1]!,
        name: 'c',
        type: 'checkboxes',
        options: [1, 2].map(() => ({ value: 'x', label: { ja: 'x', en: '' } })),
      },
    ])
    const keys = drafts.map(({ key }) => key)
    const found = findIssues(form, drafts).map(({ key, property, code }) => [
      keys.indexOf(key ?? ''),
      property,
      code,
    ])
    expect(found.sort()).toEqual(
      [
        [3, 'label', 'Required'],
        [3, 'name', 'DuplicatedValue'],
        [4, 'name', 'ReservedWord'],
        [4, 'maxLength', 'TooSmallValue'],
        [4, 'pattern', 'InvalidFormat'],
        [5, 'options.1.value', 'DuplicatedValue'],
      ].sort(),
    )
  })
})

it('`placeIssue` finds the field by its index in the request', () => {
  const drafts = draftsOf(form.fields)
  expect(placeIssue({ path: 'data.fields.1.options.2.value', code: 'Required' }, drafts)).toEqual({
    key: drafts[1]?.key,
    property: 'options.2.value',
    code: 'Required',
  })
  expect(placeIssue({ path: 'data.name', code: 'Required' }, drafts)).toMatchObject({ key: null })
})
