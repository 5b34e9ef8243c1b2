import type { APIRequestContext, Page } from '@playwright/test'
import { picturedSpace, rescuedFrom } from '../test/newt-stand-in/archive.ts'
import { ids } from '../test/newt-stand-in/sample-space.ts'
import { addContent, idOf, type Stored, type StoredSpace } from '../test/newt-stand-in/space.ts'
import { quadrants } from '../test/pictures.ts'
import { expectAccessible } from './axe.ts'
import { expect, test } from './fixtures.ts'
import { send, signIn } from './management-api.ts'
import { photograph } from './photograph.ts'

const at = '2026-11-20T10:00:00.000Z'

/**
 * Checks a screen with axe. With `E2E_SCREENS=1`, also checks the colours and saves screenshots in both colour schemes,
 * at 1280 and 390 px.
 */
async function look(page: Page, screen: string): Promise<void> {
  await expectAccessible(page, screen)
  if (!process.env.E2E_SCREENS) return
  for (const width of [1280, 390])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 800 })
      await page.emulateMedia({ colorScheme })
      await expectAccessible(page, `${screen} ${colorScheme} ${width}`, 'colors')
      await photograph(page, `${screen}-${width}-${colorScheme}`)
    }
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.emulateMedia({ colorScheme: 'light' })
}

/** Imports an archive into the space `since` through the API. */
async function moveIn(request: APIRequestContext, url: string, zip: Buffer): Promise<string> {
  const moves = '/api/project/since/move'
  const data = { fileName: 'first.zip', fileSize: zip.length }
  const { move } = await send(request, url, moves, { data })
  const id = String(move._id)
  const signed = await (await request.get(`${url}${moves}/${id}/signedUrl`)).json()
  const headers = { 'content-type': 'application/zip' }
  expect((await request.put(`${url}${signed.url}`, { data: zip, headers })).status()).toBe(204)
  await send(request, url, `${moves}/${id}/signedUrl`, {})
  const stateOf = async () => (await (await request.get(`${url}${moves}/${id}`)).json()).move.state
  await expect.poll(stateOf).toBe('planned')
  await send(request, url, `${moves}/${id}/start`, {})
  await expect.poll(stateOf).toBe('imported')
  return id
}

function editThere(newt: StoredSpace, model: string, id: string, change: Record<string, Stored>): void {
  const content = newt.models.get(model)?.get(id)
  if (!content) throw new Error(id)
  content.draft = { ...content.draft, ...change }
  content.published = content.draft
  Object.assign(content, { updatedAt: at, publishedAt: at })
}

test('an update from Newt imports the chosen changes, and the same archive then has nothing to import', {
  tag: '@full',
}, async ({ page, app }) => {
  await signIn(page.request, app.url)
  await send(page.request, app.url, '/api/project', { project: { uid: 'since', name: '引っ越し先' } })
  const newt = await picturedSpace()
  const id = await moveIn(page.request, app.url, await rescuedFrom(newt))

  editThere(newt, 'article', ids.republished, { title: 'Newtで直した題' })
  editThere(newt, 'author', ids.author, { name: 'Newtで直した著者', motto: '新しいフィールド' })
  editThere(newt, 'author', ids.draftAuthor, { name: 'Newtで公開した著者' })
  addContent(newt, 'article', { id: idOf(0x1100), createdAt: at, draft: { title: '増えた記事' } })
  addContent(newt, 'shop', { id: idOf(0x6001), createdAt: at, draft: { name: '本店', memo: '残す値' } })
  newt.models.get('article')?.delete(ids.bare)
  const photo = newt.assets.get(idOf(0xa000))
  if (photo) photo.bytes = await quadrants(60, 60)
  const docs = '/api/project/since/app/blog/model/author/doc'
  for (const one of [ids.author, ids.draftAuthor])
    await send(page.request, app.url, `${docs}/${one}`, { doc: { name: 'こちらで直した著者' } }, 'PUT')
  const buffer = await rescuedFrom(newt, { models: ['article', 'shop'] })
  const second = { name: 'second.zip', mimeType: 'application/zip', buffer }

  await page.goto(`/since/-/moves/${id}`)
  await expect(page.getByRole('heading', { name: '新しいアーカイブの変更を取り込む' })).toBeVisible()
  await look(page, 'imported')
  await page.locator('input[type=file]').setInputFiles(second)
  await expect(page.getByRole('heading', { name: 'Newtで変わったところ' })).toBeVisible()
  await expect(page.getByRole('heading', { name: '両方で変更 · 2件' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Newtで直した題' })).toBeVisible()
  // The list shows the name of the model, and a placeholder for a document without a title.
  const gone = page.getByRole('region', { name: /^Newtで削除/ })
  await expect(gone.getByRole('link', { name: '無題' })).toBeVisible()
  await expect(gone.getByText(`記事 · ${ids.bare}`)).toBeVisible()
  await expect(page.getByText('1件。Newtのファイルに差し替えます。', { exact: false })).toBeVisible()
  const news = page.getByRole('region', { name: 'Newtで増えたモデルとフィールド' })
  await expect(news.getByRole('checkbox', { name: '「motto」を作る' })).toBeChecked()
  await expect(news.getByRole('checkbox', { name: /^モデル「.*」を作る/ })).toBeChecked()
  const memo = news.getByRole('checkbox', { name: '「memo」を作る' })
  await memo.press('Space')
  await expect(memo).not.toBeChecked()
  await look(page, 'update-plan')
  await memo.press('Space')
  await expect(memo).toBeChecked()
  // One action is chosen for all documents, then another action for one of them.
  const both = page.getByRole('region', { name: /両方で変更/ })
  await both.getByRole('radio', { name: 'Newtの内容にする' }).press('Space')
  const one = both.getByRole('combobox', { name: '「Newtで直した著者」をどうするか' })
  await expect(one).toHaveValue('true')
  await one.selectOption({ label: 'こちらを残す' })
  await expect(both.getByRole('radio', { checked: true })).toHaveCount(0)
  await expect(one).toHaveValue('false')
  await page.getByRole('button', { name: '取り込みを始める' }).click()

  await expect(page.getByRole('heading', { name: '取り込みが終わりました' })).toBeVisible()
  await expect(page.getByRole('heading', { name: '取り込んだもの · 4件' })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'そのまま残したもの · 2件' })).toBeVisible()
  await expect(page.getByText('モデル「ショップ」：作りました')).toBeVisible()
  await expect(page.getByText('差し替えたもの：1件')).toBeVisible()
  await look(page, 'update-result')
  const named = async (one: string) =>
    (await (await page.request.get(`${app.url}${docs}/${one}`)).json()).document.name
  expect([await named(ids.author), await named(ids.draftAuthor)]).toEqual([
    'こちらで直した著者',
    'Newtで公開した著者',
  ])
  await page.getByRole('link', { name: '増えた記事' }).click()
  await expect(page).toHaveURL(new RegExp(`/since/blog/article/${idOf(0x1100)}`))

  // The same archive is uploaded again, in English.
  const { currentAccount } = await (await page.request.get(`${app.url}/api/auth/getCurrentAccount`)).json()
  await send(page.request, app.url, `/api/account/${currentAccount._id}`, { data: { language: 'en' } }, 'PUT')
  await page.goto(`/since/-/moves/${id}`)
  await expect(page.getByRole('heading', { name: 'Import changes from a newer archive' })).toBeVisible()
  await look(page, 'updated-en')
  await page.locator('input[type=file]').setInputFiles(second)
  await expect(page.getByRole('heading', { name: 'There is nothing to import' })).toBeVisible()
  await look(page, 'update-none-en')
})
