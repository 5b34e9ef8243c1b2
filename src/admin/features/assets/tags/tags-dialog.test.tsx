import { cleanup, fireEvent, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { answerRequests, renderInAdmin } from '#admin/lib/testing.tsx'
import { TagsDialog } from './tags-dialog.tsx'

afterEach(cleanup)

it('the tags dialog shows why the server refused a tag name', async () => {
  let answer: object = { code: 'ValidationFailed', issues: [{ path: 'data.name', code: 'NothingVisible' }] }
  answerRequests(({ method, path }) => {
    if (path === '/api/auth/csrfToken') return { body: { csrfToken: 'token' } }
    return method === 'GET' ? { body: { tags: [] } } : { status: 400, body: answer }
  })
  await renderInAdmin(<TagsDialog p="pond" onClose={() => undefined} />)
  const name = screen.getByRole('textbox', { name: '新しいタグ' })
  const send = (value: string) => {
    fireEvent.change(name, { target: { value } })
    fireEvent.submit(name.closest('form') as HTMLFormElement)
  }
  // U+3164 is a letter without visible ink.
  send('\u3164')
  const message = await screen.findByText('目に見える文字を1文字以上入力してください')
  expect(name.getAttribute('aria-describedby')).toContain(message.id)
  answer = { code: 'TagNameIsAlreadyInUse', issues: [{ path: 'data.name', code: 'DuplicatedValue' }] }
  send('池')
  expect(await screen.findByText('このタグ名はすでに使われています')).toBeTruthy()
})
