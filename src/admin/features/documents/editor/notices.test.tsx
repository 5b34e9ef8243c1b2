import { cleanup, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { type Account, setAccount } from '#admin/lib/session.ts'
import { answerRequests, renderInAdmin } from '#admin/lib/testing.tsx'
import type { MergedChanges } from './document-saver.ts'
import { DocumentStore } from './document-store.ts'
import { EditorContext } from './editor-context.ts'
import { MergedNotice } from './notices.tsx'
import { testContext, testDocument, testModel } from './test-model.ts'

const me = { _id: 'c'.repeat(24), name: '緑' }
const ken = { _id: 'b'.repeat(24), name: '森田 健' }

afterEach(() => {
  cleanup()
  setAccount(null)
})

/** Shows the notice to the account `me`. `answer`: the server's response about the authors. */
async function show(changes: Partial<MergedChanges>, answer: unknown = { authors: [] }) {
  setAccount(me as Account)
  const seen = answerRequests(() => (answer instanceof Error ? answer : { body: answer }))
  const store = new DocumentStore(testModel, testDocument(3, { title: 'a' }))
  await renderInAdmin(
    <EditorContext value={testContext(store)}>
      <MergedNotice
        fields={['title', 'body']}
        authors={undefined}
        since={1}
        {...changes}
        onClose={() => undefined}
      />
    </EditorContext>,
  )
  return { text: (await screen.findByRole('status')).textContent, seen }
}

it('MergedNotice names the member who changed the fields, and sends no request if the authors are known', async () => {
  const { text, seen } = await show({ authors: [ken] })
  expect(text).toBe('森田 健さんの変更を取り込みました：タイトル、本文')
  expect(seen).toEqual([])
})

it('MergedNotice reports changes of the same account as changes from another window', async () => {
  expect((await show({ authors: [me] })).text).toBe('別の画面での変更を取り込みました：タイトル、本文')
})

it('MergedNotice names a member, the own account and an unknown account as authors', async () => {
  expect((await show({ authors: [ken, me, null] })).text).toBe(
    '森田 健さん、あなた（別の画面）、ほかの人の変更を取り込みました：タイトル、本文',
  )
})

it('MergedNotice loads the authors from the server if they are unknown', async () => {
  const { text, seen } = await show({}, { authors: [ken] })
  expect(text).toBe('森田 健さんの変更を取り込みました：タイトル、本文')
  expect(seen.map(({ path }) => path)).toEqual([
    `/api/project/kawa/app/blog/model/article/doc/${'a'.repeat(24)}/changeAuthors?since=1&fields=title%2Cbody`,
  ])
})

it('MergedNotice attributes the changes to another person if the server does not respond', async () => {
  const { text } = await show({}, new TypeError('fetch failed'))
  expect(text).toBe('ほかの人の変更を取り込みました：タイトル、本文')
})
