import { beforeAll, expect, it } from 'vitest'
import { activateCatalogue, loadCatalogue, loadEditingTexts } from '#admin/i18n/messages.ts'
import { testModel } from './editor/test-model.ts'
import { namedIssue } from './named-issue.ts'

beforeAll(async () => {
  await loadEditingTexts()
  activateCatalogue(await loadCatalogue('ja'))
})

it('namedIssue returns the name of the field or list item, and asks for digits only in number fields', () => {
  expect(namedIssue(testModel, { path: 'price', code: 'InvalidType' })).toMatchObject({
    name: '価格',
    text: '15桁以内の数字で入力してください',
  })
  expect(namedIssue(testModel, { path: 'tags.1', code: 'InvalidValue' })).toMatchObject({
    uid: 'tags',
    item: '1',
    name: 'タグ 2番目',
    text: '決められた形式と違います',
  })
  expect(namedIssue(testModel, { path: 'title', code: 'InvalidType' }).text).not.toContain('数字')
  expect(namedIssue(testModel, { path: 'gone', code: 'UnknownField' }).name).toBe('gone')
})
