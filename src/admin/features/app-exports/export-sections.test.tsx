import { cleanup, fireEvent, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { answerRequests, renderInAdmin } from '#admin/lib/testing.tsx'
import { Export } from './export-sections.tsx'

afterEach(cleanup)

const refuse = (body: object) =>
  answerRequests(({ method, path }) =>
    path === '/api/auth/csrfToken'
      ? { body: { csrfToken: 'token' } }
      : method === 'POST'
        ? { status: 409, body: { code: 'AppIsBeingFilled', message: 'AppIsBeingFilled', ...body } }
        : { body: { export: null, downloadUrl: null } },
  )

it.each([
  ['ja', '書き出す', '「お知らせ」、「店」にコンテンツを追加しています。'],
  ['en', 'Export', 'Content is still being added to “お知らせ” and “店”'],
] as const)(
  'the export form names the apps to which content is still being added (%s)',
  async (language, action, words) => {
    refuse({ apps: ['お知らせ', '店'] })
    await renderInAdmin(<Export p="acme" />, language)
    fireEvent.click(await screen.findByRole('button', { name: action }))
    expect((await screen.findByRole('alert')).textContent).toContain(words)
  },
)

it('the export form shows a general message if the response to a refused export names no apps', async () => {
  refuse({})
  await renderInAdmin(<Export p="acme" />)
  fireEvent.click(await screen.findByRole('button', { name: '書き出す' }))
  expect((await screen.findByRole('alert')).textContent).toContain('追加している途中のAppがあります')
})
