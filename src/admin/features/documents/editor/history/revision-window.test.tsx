import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { answerRequests, renderInAdmin } from '#admin/lib/testing.tsx'
import { closeAllToasts, shownToasts } from '#admin/lib/toast.ts'
import { ModalHost } from '#admin/ui/modal-host.tsx'
import type { Revision, WholeRevision } from '#shared/contract/documents.ts'
import { DocumentStore } from '../document-store.ts'
import { EditorContext, type EditorContextValue } from '../editor-context.ts'
import { testContext, testDocument, testModel } from '../test-model.ts'
import { RevisionFacts } from './revision-facts.tsx'
import { RevisionWindow } from './revision-window.tsx'

afterEach(() => {
  cleanup()
  closeAllToasts()
})

const fact = {
  version: 2,
  published: true,
  kind: 'publish',
  source: 'moves.import',
  createdAt: '2026-05-01T03:04:00.000Z',
  createdBy: { _id: 'b'.repeat(24), name: '太郎' },
  author: null,
} as const

async function open(version: Pick<WholeRevision, 'values' | 'left'>, more: Partial<EditorContextValue> = {}) {
  const seen = answerRequests(() => ({ body: { revision: { ...fact, ...version } } }))
  const store = new DocumentStore(
    testModel,
    testDocument(3, { title: '今の題', body: '<p>同じ</p>', tags: ['あ', 'い'], price: 5 }),
  )
  const onClose = vi.fn()
  await renderInAdmin(
    <EditorContext value={testContext(store, more)}>
      <RevisionWindow id={'a'.repeat(24)} revision={fact} onClose={onClose} />
      <ModalHost />
    </EditorContext>,
  )
  const restore = await screen.findByRole('button', { name: 'このバージョンの内容に戻す' })
  return { store, onClose, restore, seen }
}

const old = { values: { title: '昔の題', body: '<p>同じ</p>', tags: ['あ'], price: 5 }, left: [] }
const shownIn = (name: string) => screen.getByRole('region', { name }).textContent

it('the version window shows fields that differ from the form, or the whole version on request', async () => {
  const { seen } = await open(old)
  expect(seen[0]?.path).toMatch(/\/doc\/a{24}\/revision\/2$/)
  const window = within(screen.getByRole('dialog', { name: 'バージョン2の内容' }))
  expect(window.getByText(/太郎・取り込み/)).toBeTruthy()
  expect(window.getByText('公開中')).toBeTruthy()
  expect(shownIn('タイトル バージョン2')).toBe('昔の題')
  expect(shownIn('タイトル 今の内容')).toBe('今の題')
  expect(window.getAllByText(/./, { selector: 'mark' }).map((mark) => mark.textContent?.trim())).toEqual([
    '昔',
    '今',
    'い',
  ])
  expect(screen.queryByRole('region', { name: '本文' })).toBeNull()
  expect(screen.queryByRole('region', { name: '価格' })).toBeNull()
  fireEvent.click(window.getByRole('radio', { name: 'このバージョンの内容' }))
  expect(shownIn('本文')).toContain('同じ')
  expect(shownIn('価格')).toContain('5')
})

it('RevisionFacts shows a placeholder for a member without a name', async () => {
  await renderInAdmin(
    <RevisionFacts revision={{ ...fact, createdBy: { _id: 'b'.repeat(24), name: '' } } as Revision} />,
  )
  expect(screen.getByText(/・名前のないメンバー・取り込み/)).toBeTruthy()
})

it('the version window restores the version as unsaved input, and the undo action reverts this', async () => {
  const { store, onClose, restore } = await open(old)
  fireEvent.click(restore)
  await waitFor(() => expect(onClose).toHaveBeenCalledOnce())
  expect(store.all()).toMatchObject(old.values)
  expect(store.dirtyFields()).toEqual(['title', 'tags'])
  shownToasts()[0]?.action?.run()
  expect(store.get('title')).toBe('今の題')
  expect(store.hasUnsaved()).toBe(false)
})

it('the undo toast closes when a restored field is edited, but not when another field is edited', async () => {
  const { store, onClose, restore } = await open(old)
  fireEvent.click(restore)
  await waitFor(() => expect(onClose).toHaveBeenCalledOnce())
  store.set('price', 6)
  expect(shownToasts()).toHaveLength(1)
  store.set('title', '書き直した題')
  expect(shownToasts()).toHaveLength(0)
})

it('the version window restores a single field', async () => {
  const { store, onClose } = await open(old)
  fireEvent.click(screen.getByRole('button', { name: 'このフィールドだけ戻す：タイトル' }))
  await waitFor(() => expect(screen.queryByRole('region', { name: 'タイトル' })).toBeNull())
  expect(store.dirtyFields()).toEqual(['title'])
  expect(onClose).not.toHaveBeenCalled()
})

it('the version window asks before it replaces unsaved input', async () => {
  const { store, onClose, restore } = await open(old)
  store.set('title', '書きかけ')
  fireEvent.click(restore)
  const question = within(await screen.findByRole('dialog', { name: '保存していない変更があります' }))
  expect(question.getByText(/：タイトル$/)).toBeTruthy()
  expect(store.get('title')).toBe('書きかけ')
  fireEvent.click(question.getByRole('button', { name: '置き換える' }))
  await waitFor(() => expect(onClose).toHaveBeenCalledOnce())
  expect(store.get('title')).toBe('昔の題')
})

it('the version window asks before it replaces unsaved input, even after it restored another field', async () => {
  const { store, restore } = await open(old)
  store.set('tags', ['書きかけ'])
  fireEvent.click(screen.getByRole('button', { name: 'このフィールドだけ戻す：タイトル' }))
  await waitFor(() => expect(store.get('title')).toBe('昔の題'))
  fireEvent.click(restore)
  await screen.findByRole('dialog', { name: '保存していない変更があります' })
  expect(store.get('tags')).toEqual(['書きかけ'])
})

it('the version window lists values that do not fit the form, and restores no value in such a field', async () => {
  const { store, onClose, restore } = await open({
    values: { title: '昔の題', body: '<p>同じ</p>' },
    left: [
      { field: 'price', value: '時価' },
      { field: null, value: { memo: '消えたメモ' } },
    ],
  })
  expect(screen.queryByRole('region', { name: '価格' })).toBeNull()
  const left = screen.getByRole('alert', { name: '今のフォームに入らない内容があります' }).textContent
  expect(left).toMatch(/価格時価.*削除されたフィールド.*消えたメモ/s)
  fireEvent.click(restore)
  await waitFor(() => expect(onClose).toHaveBeenCalledOnce())
  expect(store.all()).toEqual({ title: '昔の題', body: '<p>同じ</p>', tags: undefined, price: 5 })
})

it('the version window shows a message and disables the restore button if nothing differs', async () => {
  const { restore } = await open({
    values: { title: '今の題', body: '<p>同じ</p>', tags: ['あ', 'い'], price: 5 },
    left: [],
  })
  expect(screen.getByText('今の入力内容と違いはありません。')).toBeTruthy()
  expect(restore).toHaveProperty('disabled', true)
})

it('the version window disables the restore button for users who can only read', async () => {
  const { restore } = await open(old, { readOnly: true })
  expect(restore).toHaveProperty('disabled', true)
  expect(screen.getByText('編集する権限がありません')).toBeTruthy()
  expect(screen.queryByRole('button', { name: /このフィールドだけ戻す/ })).toBeNull()
})

it('restoring a version skips a field that the role makes read-only', async () => {
  const title = testModel.fields[0]?._id ?? ''
  const { store, onClose, restore } = await open(old, { readOnlyFields: new Set([title]) })
  expect(screen.getByText('このフィールドを編集する権限がありません')).toBeTruthy()
  fireEvent.click(restore)
  await waitFor(() => expect(onClose).toHaveBeenCalledOnce())
  expect(store.dirtyFields()).toEqual(['tags'])
})
