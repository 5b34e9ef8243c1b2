import { beforeAll, expect, it } from 'vitest'
import { activateCatalogue, loadCatalogue, loadEditingTexts } from '#admin/i18n/messages.ts'
import type { IssueCode } from '#shared/errors.ts'
import { type Field, fieldSchema } from '#shared/fields/index.ts'
import { fieldIssueText, settingIssueText } from './issue-text.ts'

beforeAll(async () => {
  await loadEditingTexts()
  activateCatalogue(await loadCatalogue('ja'))
})

const field = (settings: object): Field =>
  fieldSchema.parse({ _id: '0123456789abcdef01234567', uid: 'a', name: 'a', ...settings })

it("`fieldIssueText` returns the message of the field's type if there is one", () => {
  expect(fieldIssueText(field({ type: 'NUMBER' }), { code: 'InvalidType' })).toBe(
    '15桁以内の数字で入力してください',
  )
  expect(fieldIssueText(field({ type: 'NUMBER', integer: true }), { code: 'InvalidValue' })).toBe(
    '整数で入力してください',
  )
  expect(fieldIssueText(field({ type: 'NUMBER' }), { code: 'InvalidValue', params: { step: 5 } })).toBe(
    '5刻みの値を入力してください',
  )
  expect(fieldIssueText(field({ type: 'DATE' }), { code: 'InvalidValue' })).toContain('令和8年4月1日')
})

it('`fieldIssueText` returns different messages for a missing option, reference and check mark', () => {
  const required = { code: 'Required' } as const
  expect(fieldIssueText(field({ type: 'SELECT' }), required)).toBe('選んでください')
  expect(fieldIssueText(field({ type: 'REFERENCE', modelUid: 'b' }), required)).toBe(
    '公開中のコンテンツを選んでください',
  )
  expect(fieldIssueText(field({ type: 'CHECKBOX' }), required)).toBe('チェックを入れてください')
})

it("`fieldIssueText` appends the field's description to the message for a pattern", () => {
  const pattern = { type: 'TEXT', pattern: '^[a-z]+$' }
  expect(fieldIssueText(field(pattern), { code: 'InvalidValue' })).toBe('決められた形式と違います')
  expect(fieldIssueText(field({ ...pattern, description: '英小文字だけ' }), { code: 'InvalidValue' })).toBe(
    '決められた形式と違います：英小文字だけ',
  )
})

it("`fieldIssueText` returns the general message of the issue code if the field's type has none", () => {
  expect(fieldIssueText(field({ type: 'NUMBER' }), { code: 'Required' })).toBe('入力してください')
})

it('`settingIssueText` returns the message for an issue of a setting, or null if there is none', () => {
  const say = (type: Field['type'], property: string, code: IssueCode) =>
    settingIssueText(type, { property, code })
  expect(say('SELECT', 'options.2.value', 'DuplicatedValue')).toBe('同じ値の選択肢があります')
  expect(say('TEXT', 'pattern', 'InvalidFormat')).toContain('正規表現')
  expect(say('REFERENCE', 'modelUid', 'InvalidValue')).toContain('参照先')
  expect(say('MARKDOWN', 'maxLength', 'InvalidType')).toBe('1以上の整数を入力してください')
  expect(say('NUMBER', 'unique', 'DuplicatedValue')).toContain('重複不可')
  expect(say('NUMBER', 'pattern', 'InvalidFormat')).toBeNull()
  expect(say('SELECT', 'options', 'DuplicatedValue')).toBeNull()
})
