import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { answerRequests, renderInAdmin } from '#admin/lib/testing.tsx'
import type { Model } from '#shared/contract/models.ts'
import type { View } from '#shared/contract/views.ts'
import { ViewDialog } from './view-dialog.tsx'

afterEach(cleanup)

const place = { p: 'pond', a: 'blog', m: 'post' }
const model = { uid: 'post', fields: [], titleField: null, documentCount: 12 } as unknown as Model

it('ViewDialog shows the number of documents for a single-document view if there are several', async () => {
  answerRequests(() => ({ body: {} }))
  const view = { name: '表紙', type: 'SINGLETON', personal: false, settings: {} } as unknown as View
  const open = (documentCount: number) =>
    renderInAdmin(
      <ViewDialog
        model={{ ...model, documentCount }}
        place={place}
        view={view}
        settings={{}}
        mayManage
        onClose={() => undefined}
      />,
    )
  await open(12)
  expect(screen.getByText(/コンテンツが12件あります/).textContent).toContain('全員に')
  cleanup()
  await open(1)
  expect(screen.queryByText(/コンテンツが1件あります/)).toBeNull()
})

it("ViewDialog marks the name input with the server's issue until the name changes", async () => {
  const issues = [{ path: 'data.name', code: 'NothingVisible' }]
  const seen = answerRequests(({ path }) =>
    path === '/api/auth/csrfToken'
      ? { body: { csrfToken: 'token' } }
      : { status: 400, body: { code: 'ValidationFailed', issues } },
  )
  await renderInAdmin(
    <ViewDialog
      model={model}
      place={place}
      view={undefined}
      settings={{}}
      mayManage
      onClose={() => undefined}
    />,
  )
  const name = screen.getByRole('textbox', { name: '名前' })
  // U+3164 is a letter without visible ink.
  fireEvent.change(name, { target: { value: '\u3164' } })
  fireEvent.submit(name.closest('form') as HTMLFormElement)
  const message = await screen.findByText('目に見える文字を1文字以上入力してください')
  expect(name.getAttribute('aria-describedby')).toContain(message.id)
  expect(screen.queryByRole('alert')).toBeNull()
  expect(seen.at(-1)?.body).toMatchObject({ data: { name: '\u3164' } })
  fireEvent.change(name, { target: { value: '池' } })
  await waitFor(() => expect(name.getAttribute('aria-invalid')).not.toBe('true'))
})
