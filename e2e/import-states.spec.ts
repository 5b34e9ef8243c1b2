import type { APIRequestContext, Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { expectImported } from './importing.ts'
import { look } from './looking.ts'
import { enter, send } from './management-api.ts'

const choose = (page: Page, name: string, text: string) =>
  page
    .locator('input[type=file]')
    .setInputFiles({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(text) })

/** Reads the published documents of a model with a CDN token. Returns their titles, sorted. */
async function publishedIn(request: APIRequestContext, url: string, path: string): Promise<string[]> {
  const { cdnToken } = await send(request, url, '/api/project/import-states/cdnToken', {
    data: { name: path },
  })
  const headers = { authorization: `Bearer ${cdnToken.token}` }
  const { items } = await (await request.get(`${url}/v1/${path}`, { headers })).json()
  return items.map(({ title }: { title: string }) => title).sort()
}

test('the plan of an import shows which contents will be public, and the import publishes only these', async ({
  page,
  app,
}) => {
  await enter(page.request, app.url, 'import-states', [])
  await page.goto('/import-states/-/moves')
  const rows = [
    '公開の記事,published',
    '下書きの記事,draft',
    '古い記事,archived',
    '確認した記事,checked',
    '空の記事,',
  ]
  await choose(page, 'news.csv', `title,status\n${rows.join('\n')}\n`)
  await page.getByRole('link', { name: '計画を開く' }).click()
  const states = page.getByRole('region', { name: '公開の状態' })
  await expect(states.getByRole('status')).toHaveText('公開する1下書きにする4取り込まない0')
  const row = (statement: string) => states.getByRole('listitem').filter({ hasText: statement })
  for (const [statement, state, title] of [
    ['status: published', '公開中', '公開の記事'],
    ['status: draft', '下書き', '下書きの記事'],
    ['status: archived', 'アーカイブ', '古い記事'],
    ['status: checked', '不明', '確認した記事'],
    ['移行元に記載なし', '不明', '空の記事'],
  ] as const) {
    await expect(row(statement).getByText(state, { exact: true })).toBeVisible()
    await expect(row(statement).getByText(`「${title}」`)).toBeVisible()
  }
  await look(page, 'import-states')

  // The keyboard moves from "draft" to the previous choice.
  await row('status: checked').getByRole('radio', { name: '下書きにする' }).press('ArrowLeft')
  await expect(row('status: checked').getByText(/サイトから読み取れるようになります/)).toBeVisible()
  await expect(states.getByRole('status')).toHaveText('公開する2下書きにする3取り込まない0')
  await row('status: archived').getByText('取り込まない').click()
  await expect(states.getByRole('status')).toHaveText('公開する2下書きにする2取り込まない1')
  await page.getByLabel('App UID').fill('news')
  await look(page, 'import-states-chosen')
  await page.getByRole('button', { name: 'インポートを始める' }).click()
  await expectImported(page)
  await expect(page.getByText('取り込まなかったもの1')).toBeVisible()
  await look(page, 'import-states-done')

  expect(await publishedIn(page.request, app.url, 'news/news')).toEqual(['公開の記事', '確認した記事'].sort())
  const docs = '/api/project/import-states/app/news/model/news/doc?limit=10'
  expect((await (await page.request.get(docs)).json()).documents).toHaveLength(4)
})

test('a JSON list of unknown origin is imported into an app after the user has confirmed its content', {
  tag: '@full',
}, async ({ page, app }) => {
  await enter(page.request, app.url, 'import-states', [])
  const { currentAccount } = await (await page.request.get(`${app.url}/api/auth/getCurrentAccount`)).json()
  await send(page.request, app.url, `/api/account/${currentAccount._id}`, { data: { language: 'en' } }, 'PUT')
  await page.goto('/import-states/blog/-/import')
  const list = [
    { title: 'Open', status: 'published' },
    { title: 'Old', status: 'archived' },
    { title: 'Silent' },
  ]
  await choose(page, 'story.json', JSON.stringify(list))
  const start = page.getByRole('button', { name: 'Start the import' })
  await expect(start).toBeDisabled()
  await look(page, 'import-into-states-en')
  const states = page.getByRole('region', { name: 'What will be public' })
  await states
    .getByRole('listitem')
    .filter({ hasText: 'Not stated by the source' })
    .getByText('Publish', { exact: true })
    .click()
  await states.getByRole('listitem').filter({ hasText: 'archived' }).getByText('Leave out').click()
  await look(page, 'import-into-states-chosen-en')
  await states.getByRole('button', { name: 'Compare again' }).click()
  await expect(states.getByRole('status')).toHaveText('Published2Drafts0Left out1')
  await expect(states.getByRole('button', { name: 'Compare again' })).toBeHidden()
  await page.getByRole('checkbox', { name: 'This is the content I want to import' }).click()
  await expect(start).toBeEnabled()
  await start.click()
  await expect(page.getByRole('heading', { name: 'The import is complete' })).toBeVisible()
  await expect(page.getByText('2 to publish, 0 as drafts, 1 left out')).toBeVisible()
  expect(await publishedIn(page.request, app.url, 'blog/story')).toEqual(['Open', 'Silent'])
})
