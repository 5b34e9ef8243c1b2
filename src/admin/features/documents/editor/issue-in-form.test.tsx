import { beforeAll, expect, it } from 'vitest'
import { activateCatalogue, loadCatalogue, loadEditingTexts } from '#admin/i18n/messages.ts'
import { fieldSchema } from '#shared/fields/index.ts'
import type { DocumentStore } from './document-store.ts'
import type { EditorContextValue } from './editor-context.ts'
import { issueInForm } from './issue-in-form.ts'
import { testModel, testPlace } from './test-model.ts'

beforeAll(async () => {
  await loadEditingTexts()
  activateCatalogue(await loadCatalogue('ja'))
})

it('issueInForm names the list item that contains the issue, and the missing file', () => {
  const fields = [
    { uid: 'files', name: '資料', type: 'FILE', multiple: true },
    { uid: 'parts', name: '構成', type: 'MULTI_TYPE', multiple: true, types: [{ type: 'IMAGE' }] },
  ].map((field, index) => fieldSchema.parse({ ...field, _id: String(index + 1).padStart(24, '0') }))
  const values: Record<string, unknown> = { parts: [{}, { type: 'IMAGE', data: 'a'.repeat(24) }] }
  const store = { get: (uid: string) => values[uid] } as unknown as DocumentStore
  const editor = { model: { ...testModel, fields }, place: testPlace, store } as EditorContextValue
  const told = (path: string) =>
    issueInForm({ path, code: 'MissingAsset', params: { name: '森.png' } }, editor)
  expect(told('files.0').name).toBe('資料 1番目')
  expect(told('parts.1.data')).toMatchObject({
    name: '構成 2番目',
    text: 'ファイル「森.png」が見つかりません。ゴミ箱に移されたか、削除されています',
  })
})
