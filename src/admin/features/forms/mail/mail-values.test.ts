import { describe, expect, it } from 'vitest'
import { formMailLimits } from '#shared/forms/mail.ts'
import { aForm } from '../testing.ts'
import {
  addressIssues,
  bodyOf,
  placeholderFields,
  splitAddresses,
  suggestReply,
  unknownPlaceholders,
  valuesOf,
} from './mail-values.ts'

describe('splitAddresses', () => {
  it('splits at commas, semicolons, spaces and line breaks, and omits names', () => {
    expect(splitAddresses('a@example.com,b@example.com； c@example.com\r\n\nd＠example.com')).toEqual([
      'a@example.com',
      'b@example.com',
      'c@example.com',
      'd@example.com',
    ])
    expect(splitAddresses('a@example.com, "池田, 花" <b@example.com>、担当 <c@example.com>')).toEqual([
      'a@example.com',
      'b@example.com',
      'c@example.com',
    ])
  })
})

describe('addressIssues', () => {
  it('returns the issue of each line, although empty lines are not sent', () => {
    const issues = addressIssues('\na@example.com\n\nwrong\nA@example.com')
    expect([...issues].map(([index, { code }]) => [index, code])).toEqual([
      [3, 'InvalidFormat'],
      [4, 'DuplicatedValue'],
    ])
  })

  it('returns no issue of a line for too many addresses', () => {
    const many = Array.from({ length: formMailLimits.recipients + 1 }, (_, index) => `a${index}@example.com`)
    expect(addressIssues(many.join('\n')).size).toBe(0)
  })
})

describe('bodyOf', () => {
  it('sends addresses without empty lines, and keeps everything else', () => {
    const form = aForm({ origins: ['https://example.com'], version: 4 })
    const values = { ...valuesOf(form), to: ' a@example.com\n\nb＠example.com\n', replyTo: ' ' }
    const { data } = bodyOf(values, form)
    expect(data.notification.to).toEqual(['a@example.com', 'b@example.com'])
    expect(data.reply.replyTo).toBeNull()
    expect(data).toMatchObject({ origins: form.origins, fields: form.fields, version: 4 })
  })
})

describe('placeholders', () => {
  it('are offered for fields whose values are texts', () => {
    const { fields } = aForm()
    const [first] = fields
    const common = { label: { ja: '', en: '' }, help: { ja: '', en: '' }, message: { ja: '', en: '' } }
    const others = [
      { ...common, type: 'file' as const, name: 'file', required: false, accept: '', maxFiles: 1 },
      { ...common, type: 'consent' as const, name: 'consent', required: true },
      { ...common, type: 'text' as const, name: 'a}}b', required: false },
    ]
    expect(placeholderFields([...fields, ...others]).map(({ name }) => name)).toEqual(
      fields.map(({ name }) => name),
    )
    expect(unknownPlaceholders({ ja: `{{ ${first?.name} }} {{件名}}`, en: '{{件名}}' }, fields)).toEqual([
      '件名',
    ])
  })
})

describe('suggestReply', () => {
  it('begins with the name of the visitor and the message of thanks', () => {
    const form = aForm({ thanksMessage: { ja: 'ありがとう', en: '' } })
    expect(suggestReply(form).body).toEqual({
      ja: '{{name}} 様\n\nありがとう',
      en: 'Dear {{name}},\n\nありがとう',
    })
    expect(suggestReply(aForm({ fields: [] })).body.en).toContain('Thank you')
  })
})
