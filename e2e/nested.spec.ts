import { expectAccessible } from './axe.ts'
import { expect, test } from './fixtures.ts'
import { send } from './management-api.ts'

test.use({ installation: 'nested', contextOptions: { reducedMotion: 'reduce' }, actionTimeout: 30_000 })

const app = '/api/project/lake/app/site'
const person = { email: 'hana@example.com', password: 'いもりは池にいる2026' }

test('values in values are shown, and kept by who saves the rest', async ({ page, app: { url } }) => {
  const { request } = page
  await send(request, url, '/api/auth/signup', { ...person, name: '山田 花' })
  await send(request, url, '/api/project', { project: { uid: 'lake', name: '湖' } })
  await send(request, url, '/api/project/lake/app', { data: { uid: 'site', name: 'サイト' } })
  const fields = [
    { uid: 'question', name: '質問', type: 'TEXT' },
    { uid: 'answer', name: '答え', type: 'RICH_TEXT' },
  ]
  await send(request, url, `${app}/customFieldType`, { data: { uid: 'Q&A', name: 'よくある質問', fields } })
  const types = [{ type: 'TEXT' }, { type: 'CUSTOM', customType: 'Q&A' }]
  const pageFields = [
    { uid: 'title', name: '題名', type: 'TEXT' },
    { uid: 'sections', name: '本文', type: 'MULTI_TYPE', multiple: true, required: true, types },
    { uid: 'lead', name: '導入', type: 'CUSTOM', customType: 'Q&A' },
  ]
  await send(request, url, `${app}/model`, { data: { uid: 'page', name: 'ページ', fields: pageFields } })
  const sections = [
    { _id: '0'.repeat(24), type: 'TEXT', data: 'はじめに' },
    { _id: '1'.repeat(24), type: 'Q&A', data: { question: 'いもりとは?', answer: '<p>両生類です</p>' } },
  ]
  const docs = `${app}/model/page/doc`
  const { document } = await send(request, url, docs, { document: { title: '池', sections } })

  await page.goto(`/lake/site/page/${document._id}`)
  const value = page.getByRole('group', { name: '本文' })
  await expect(value.getByRole('listitem')).toHaveText([
    /^テキスト.*はじめに$/,
    /^よくある質問質問いもりとは\?/,
  ])
  await expect(value).toContainText('両生類です')
  await expect(page.getByRole('group', { name: '導入' })).toContainText('まだ何も入力されていません')
  await expectAccessible(page, 'a document with nested values')

  await page.getByRole('textbox', { name: '題名' }).fill('沼')
  const answered = page.waitForResponse(
    (response) => response.request().method() === 'PUT' && response.url().includes('/doc/'),
  )
  await page.keyboard.press('ControlOrMeta+s')
  expect((await answered).ok()).toBe(true)
  const read = (await (await request.get(`${docs}/${document._id}`)).json()).document
  expect([read.title, read.sections, read._sys.version]).toEqual(['沼', sections, 2])

  await page.goto('/lake/site/page')
  await expect(page.getByText('沼', { exact: true })).toBeVisible()

  // The model's editor keeps the fields, and does not offer their types.
  await page.goto('/lake/site/page/-/model')
  await expect(page.getByText('マルチタイプ').first()).toBeVisible()
  await page.getByRole('button', { name: 'フィールドを追加' }).click()
  await expect(page.getByRole('dialog').getByRole('button', { name: /^参照/ })).toBeVisible()
  await expect(page.getByRole('dialog').getByRole('button', { name: /^マルチタイプ/ })).toHaveCount(0)
})
