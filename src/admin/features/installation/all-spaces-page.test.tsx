import { cleanup, screen, within } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { answerRequests, renderAsPage } from '#admin/lib/testing.tsx'
import { AllSpacesPage } from './all-spaces-page.tsx'

afterEach(cleanup)

const space = {
  uid: 'pond',
  name: '池',
  createdAt: '2026-11-01T00:00:00.000Z',
  memberCount: 12,
  admins: [
    { name: '森 健', email: 'ken@example.com' },
    { name: '', email: 'hana@example.com' },
  ],
  adminCount: 5,
  appCount: 2,
  documentCount: 12_345,
  fileBytes: 123_456_789_012,
}

it('the list of spaces shows the counts, the file size and the admins of a space', async () => {
  const abandoned = { ...space, uid: 'lake', name: '湖', admins: [], adminCount: 0, fileBytes: 0 }
  answerRequests(() => ({ body: { spaces: [space, abandoned], total: 2 } }))
  await renderAsPage(AllSpacesPage)
  const rowOf = async (name: RegExp) =>
    within((await screen.findByRole('rowheader', { name })).closest('tr') as HTMLElement)
  const pond = await rowOf(/池/)
  expect(pond.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    '森 健ken@example.com',
    'hana@example.com',
    'ほか3人',
  ])
  expect(pond.getAllByRole('cell').map(({ textContent }) => textContent?.replace(/\s/, ' '))).toEqual([
    expect.any(String),
    '12',
    '2',
    '12,345',
    '115 GB',
  ])
  expect((await rowOf(/湖/)).getByText('なし')).toBeTruthy()
})

it('the list of spaces offers to retry after a failure, and shows a message if there is no space', async () => {
  let works = false
  answerRequests(() =>
    works ? { body: { spaces: [], total: 0 } } : { status: 403, body: { code: 'Forbidden' } },
  )
  await renderAsPage(AllSpacesPage)
  const again = await screen.findByRole('button', { name: '再試行' })
  works = true
  again.click()
  expect(await screen.findByText('スペースはまだありません')).toBeTruthy()
})
