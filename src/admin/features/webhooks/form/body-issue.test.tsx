import { beforeAll, expect, it } from 'vitest'
import { activateCatalogue, loadCatalogue, loadEditingTexts } from '#admin/i18n/messages.ts'
import { bodyIssueText } from './body-issue.ts'

beforeAll(async () => {
  await loadEditingTexts()
  activateCatalogue(await loadCatalogue('ja'))
})

const issueAt = (column: number, detail: string) => ({
  path: 'data.body',
  code: 'UnknownPlaceholder' as const,
  params: { line: 1, column, detail },
})

it.each([
  [
    '{"a": "{{titel}}"}',
    'titel',
    '1行目の8文字目：「titel」という差し込み項目はありません（{"a": "▸{{titel}}"}）',
  ],
  ['{"a": "{{title}"}', '', '差し込み項目が、2つの閉じかっこで閉じられていません（{"a": "▸{{title}"}）'],
  [
    '{"a": "{{title", "b": "{{event}}"}',
    'title", "b": "{{event',
    '閉じられていません（{"a": "▸{{title", "b": "',
  ],
])('bodyIssueText() describes the placeholder in %s', (body, detail, text) => {
  expect(bodyIssueText(issueAt(8, detail), body)).toContain(text)
})
