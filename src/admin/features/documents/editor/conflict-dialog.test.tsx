import { cleanup, fireEvent, screen, within } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { renderInAdmin } from '#admin/lib/testing.tsx'
import { ConflictDialog } from './conflict-dialog.tsx'
import { DocumentStore } from './document-store.ts'
import { EditorContext } from './editor-context.ts'
import { testContext, testDocument, testModel } from './test-model.ts'

afterEach(cleanup)

async function open(fields: string[]) {
  const store = new DocumentStore(testModel, testDocument(1, { title: 'a', body: '<p>1</p>' }))
  store.set('title', '自分の題')
  store.set('body', '<p><strong>同じ言葉</strong></p>')
  const onDecide = vi.fn()
  await renderInAdmin(
    <EditorContext value={testContext(store)}>
      <ConflictDialog
        conflict={{
          current: testDocument(2, { title: '相手の題', body: '<p>同じ言葉</p>' }),
          fields,
          by: { id: 'b'.repeat(24), name: '太郎' },
          at: '2026-05-01T03:04:00.000Z',
          type: 'SAVE',
        }}
        onDecide={onDecide}
        onClose={() => undefined}
      />
    </EditorContext>,
  )
  return { onDecide, save: await screen.findByRole('button', { name: 'この内容で保存' }) }
}

it('the conflict dialog shows the author and time of the other change, and both values of the field', async () => {
  await open(['title'])
  expect(screen.getByText(/太郎さんが同じフィールドを変更しました（2026\/05\/01 12:04）/)).toBeTruthy()
  const field = within(screen.getByRole('group', { name: 'タイトル' }))
  const texts = [...document.querySelectorAll('fieldset [class*="sideValue"]')]
  expect(texts.map((text) => text.textContent)).toEqual(['自分の題', '相手の題'])
  // Text that the other version does not have is highlighted.
  expect(field.getAllByText(/./, { selector: 'mark' }).map((mark) => mark.textContent)).toEqual([
    '自分',
    '相手',
  ])
  expect(screen.queryByRole('group', { name: '本文' })).toBeNull()
})

it('the conflict dialog shows the HTML of a value if only its formatting differs', async () => {
  await open(['body'])
  expect(document.querySelector('[class*="sideValue"]')?.textContent).toBe('<p><strong>同じ言葉</strong></p>')
})

it('the conflict dialog enables the save button once each field is decided, and reports the decisions', async () => {
  const { onDecide, save } = await open(['title', 'body'])
  expect(save).toHaveProperty('disabled', true)
  fireEvent.click(
    within(screen.getByRole('group', { name: 'タイトル' })).getByRole('radio', { name: '自分の変更' }),
  )
  expect(save).toHaveProperty('disabled', true)
  fireEvent.click(
    within(screen.getByRole('group', { name: '本文' })).getByRole('radio', { name: '太郎さんの変更' }),
  )
  fireEvent.click(save)
  expect(onDecide).toHaveBeenCalledWith({ title: 'mine', body: 'theirs' })
})
