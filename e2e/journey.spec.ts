import type { Page } from '@playwright/test'
import { type Client, createClient } from 'newt-client-js'
import sharp from 'sharp'
import { expectAccessible } from './axe.ts'
import { expect, own, test } from './fixtures.ts'
import { type HttpsFront, startHttpsFront } from './https-front.ts'
import { typeJapanese } from './japanese-input.ts'
import { lookAt } from './look-at.ts'
import { expectPickedUp } from './moving.ts'
import { photograph } from './photograph.ts'

interface Article {
  _id: string
  title: string
  body: string
  category: string
}

test.use({ installation: own })

let front: HttpsFront
test.beforeEach(async ({ app }) => {
  front = await startHttpsFront(app.url)
})
test.afterEach(() => front.stop())

async function choosePicture(page: Page, label: string, background: string): Promise<void> {
  const picture = sharp({ create: { width: 1200, height: 400, channels: 3, background } })
  await page.locator(`input[type=file][aria-label="${label}"]`).setInputFiles({
    name: `${label}.png`,
    mimeType: 'image/png',
    buffer: await picture.png().toBuffer(),
  })
  await expect(page.getByRole('button', { name: `${label}: 画像を変更` })).toBeVisible()
}

/** Returns the widths of the loaded pictures; 0 for a broken picture. */
const widthsOf = (page: Page, place: string) =>
  page
    .locator(`${place} img`)
    .evaluateAll((pictures) => pictures.map((picture) => (picture as HTMLImageElement).naturalWidth))

test('a user signs up and publishes an article, which newt-client-js reads', async ({ page }) => {
  let token = ''

  await test.step('signs up', async () => {
    // Without any account, the sign-up page is shown instead of the login page.
    await page.goto('/')
    await expect(page).toHaveURL(/\/sign-up$/)
    await page.getByLabel('表示名').fill('山田 花')
    await page.getByLabel('メールアドレス').fill('hana@example.com')
    await page.getByLabel('パスワード', { exact: true }).fill('いもりは池にいる2026')
    await expectAccessible(page, 'sign-up')
    await page.getByRole('button', { name: 'アカウントを作成する' }).click()
    await expect(page.getByRole('heading', { name: '最初のスペースを作りましょう' })).toBeVisible()
    await expectAccessible(page, 'spaces')
  })

  await test.step('creates a space', async () => {
    await page.getByRole('link', { name: '新しいスペース' }).last().click()
    await page.getByLabel('スペース名').fill('花の出版')
    await page.getByLabel('スペースUID').fill('hana')
    await page.getByRole('radio', { name: /空のスペース/ }).click()
    await expectAccessible(page, 'new space')
    await page.getByRole('button', { name: 'スペースを作成する' }).click()
    await expect(page).toHaveURL(/\/hana$/)
    await expectAccessible(page, 'space home')
  })

  await test.step('creates an app', async () => {
    await page.getByRole('link', { name: '新しいApp' }).click()
    await expectAccessible(page, 'templates')
    await page.getByRole('button', { name: '空のApp' }).click()
    const dialog = page.getByRole('dialog', { name: '新しいApp' })
    await dialog.getByLabel('App名').fill('ブログ')
    await expect(dialog.getByLabel('App UID')).toHaveValue('blog')
    await expectAccessible(page, 'new app')
    await dialog.getByRole('button', { name: 'Appを作成する' }).click()
    await expect(page).toHaveURL(/\/hana\/blog$/)
    await expectAccessible(page, 'app home')
  })

  await test.step('sets an icon and a cover of the app, and a picture of the account', async () => {
    await page.goto('/hana/blog/-/settings')
    await page
      .locator('input[type=file][aria-label="カバー画像"]')
      .setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') })
    await expect(page.getByText('この種類のファイルは選択できません')).toBeVisible()
    await choosePicture(page, 'アイコンの画像', '#2a9d8f')
    await choosePicture(page, 'カバー画像', '#264653')
    await expectAccessible(page, 'app settings')
    await page.goto('/hana')
    await expect.poll(() => widthsOf(page, 'main li')).toEqual([1200, 400])
    await expectAccessible(page, 'space home, with a cover')
    await page.goto('/account')
    await choosePicture(page, 'アイコン', '#e76f51')
    await expectAccessible(page, 'account')
    await expect.poll(() => widthsOf(page, 'aside')).toEqual([400])
    await page.goto('/hana/blog')
  })

  await test.step('creates a model', async () => {
    await page.getByRole('link', { name: '新しいモデル' }).first().click()
    await page.getByLabel('モデル名').focus()
    await typeJapanese(page, 'きじ', '記事')
    await expect(page.getByLabel('モデル名')).toHaveValue('記事')
    await expect(page.getByLabel('モデルUID')).toHaveValue('article')
    await expectAccessible(page, 'new model')
    await page.getByRole('button', { name: '作成してフィールドを追加' }).click()
    await expect(page).toHaveURL(/\/hana\/blog\/article\/-\/model$/)
    await expectAccessible(page, 'model editor')
  })

  await test.step('adds fields to the model', async () => {
    const addField = async (type: RegExp, reading: string, name: string) => {
      await page.getByRole('button', { name: 'フィールドを追加' }).click()
      await page
        .getByRole('dialog', { name: '追加するフィールドの種類' })
        .getByRole('button', { name: type })
        .click()
      await expect(page.getByLabel('フィールド名')).toBeFocused()
      await typeJapanese(page, reading, name)
    }
    const drawer = page.getByRole('dialog', { name: 'フィールドの設定' })

    await addField(/^リッチテキスト/, 'ほんぶん', '本文')
    await expect(drawer.getByLabel('フィールドUID')).toHaveValue('body')
    await expectAccessible(page, 'field settings')
    await drawer.getByRole('button', { name: '完了' }).click()

    await addField(/^セレクト/, 'かてごり', 'カテゴリ')
    await drawer.getByRole('button', { name: '選択肢を追加' }).click()
    await expect(drawer.getByLabel('選択肢1の値')).toBeFocused()
    await page.keyboard.insertText('日記')
    await page.keyboard.press('Enter')
    await expect(drawer.getByLabel('選択肢2の値')).toBeFocused()
    await page.keyboard.insertText('お知らせ')
    await expectAccessible(page, 'settings of a select')
    await page.keyboard.press('Escape')
    await expect(drawer).toBeHidden()

    await addField(/^日時/, 'かいさいび', '開催日')
    await expect(drawer.getByLabel('フィールドUID')).toHaveValue('kaisaibi')
    await drawer.getByRole('button', { name: '削除する' }).click()
    await expect(drawer).toBeHidden()

    const handle = page.getByRole('button', { name: '「カテゴリ」を移動' })
    await handle.focus()
    await page.keyboard.press('Space')
    await expectPickedUp(page, 'カテゴリ')
    await page.keyboard.press('ArrowUp')
    await expect(page.getByText('「カテゴリ」は3件中2番目です')).toBeAttached()
    await page.keyboard.press('Space')
    await expect(page.locator('[data-field-key] code')).toHaveText(['title', 'category', 'body'])

    await expect(page.getByText('未保存の変更があります')).toBeVisible()
    await page.keyboard.press('ControlOrMeta+s')
    await expect(page.getByText('に保存済み')).toBeVisible()
    await expectAccessible(page, 'model editor, saved')
  })

  await test.step('writes and publishes an article', async () => {
    await page.getByRole('link', { name: 'コンテンツ一覧' }).click()
    await expect(page).toHaveURL(/\/hana\/blog\/article$/)
    await expectAccessible(page, 'empty document list')
    await page.getByRole('link', { name: '新規作成' }).first().click()
    await page.locator('#field-title').focus()
    await typeJapanese(page, 'いもりのはる', '井守の春')
    await page.locator('#field-category').click()
    await page.getByRole('option', { name: '日記' }).click()
    const body = page.getByRole('textbox', { name: '本文' })
    await body.click()
    await typeJapanese(page, 'いけのみずがぬるむ', '池の水がぬるむ。')
    await page.keyboard.press('Enter')
    await typeJapanese(page, 'いもりはおきる', '井守は起きる。')
    await expectAccessible(page, 'document editor')
    await page.getByRole('button', { name: '公開する' }).first().click()
    await expect(page.getByText('公開中').first()).toBeVisible()
    await expect(page).toHaveURL(/\/article\/[0-9a-f]{24}$/)
    await expectAccessible(page, 'document editor, published')
    await page.goto('/hana/blog/article')
    await expect(page.getByText('井守の春')).toBeVisible()
    await expectAccessible(page, 'document list')
  })

  await test.step('creates a CDN token', async () => {
    await page.getByRole('link', { name: '設定', exact: true }).click()
    await page.getByRole('link', { name: 'APIキー' }).click()
    await page.getByRole('button', { name: 'CDN APIキーの作成' }).click()
    const dialog = page.getByRole('dialog', { name: 'CDN APIキーの作成' })
    await dialog.getByLabel('キーの名前').fill('本番サイト')
    await expectAccessible(page, 'new token')
    await dialog.getByRole('button', { name: 'キーを作成する' }).click()
    await expect(page.getByRole('heading', { name: '「本番サイト」の値' })).toBeVisible()
    token = await page.getByRole('textbox', { name: 'CDN APIキー' }).inputValue()
    await expectAccessible(page, 'API keys')
  })

  await test.step('creates an API token that writes, with which a program saves a draft', async () => {
    await page.getByRole('button', { name: 'APIキーの作成', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'APIキーの作成' })
    await dialog.getByLabel('キーの名前').fill('同期プログラム')
    await dialog.getByRole('radio', { name: '読み出しと書き込み' }).check()
    await lookAt(page, 'new-api-token')
    await dialog.getByRole('button', { name: 'キーを作成する' }).click()
    const value = await page.getByRole('textbox', { name: 'APIキー', exact: true }).inputValue()
    await page.getByRole('combobox', { name: 'APIの呼び出し方' }).click()
    await page.getByRole('option', { name: 'curl（書き込み）' }).click()
    await lookAt(page, 'api-tokens')
    const saved = await page.request.post(`/api/project/hana/app/blog/model/article/doc`, {
      headers: { authorization: `Bearer ${value}` },
      data: { document: { title: 'プログラムの下書き' } },
    })
    expect(saved.status()).toBe(200)
    await page.goto('/hana/blog/article')
    await page.getByRole('gridcell', { name: 'プログラムの下書き', exact: true }).click()
    await expect(page.locator('#field-title')).toHaveValue('プログラムの下書き')
    await photograph(page, 'draft-of-a-program')
    await page.goto('/hana/-/audit-log')
    await expect(page.getByRole('listitem').filter({ hasText: 'プログラムの下書き' })).toContainText(
      '同期プログラム',
    )
  })

  const readBy = async (client: Client) => {
    const { total, items } = await client.getContents<Article>({ appUid: 'blog', modelUid: 'article' })
    expect(total).toBe(1)
    const [article] = items
    expect(article).toMatchObject({ title: '井守の春', category: '日記' })
    expect(article?.body).toBe('<p>池の水がぬるむ。</p><p>井守は起きる。</p>')
    expect(await client.getApp({ appUid: 'blog' })).toMatchObject({ uid: 'blog', name: 'ブログ' })
    return article
  }

  await test.step('reads the article with the unmodified client over HTTPS, and with its fetch option over HTTP', async () => {
    const spaceUid = `${front.host}/hana`
    const first = await readBy(createClient({ spaceUid, token, apiType: 'cdn' }))
    const http = page.url()
    const overHttp = (input: RequestInfo | URL, init?: RequestInit) => {
      const address = new URL(String(input instanceof Request ? input.url : input))
      return fetch(new URL(`/hana.cdn${address.pathname}${address.search}`, http), init)
    }
    expect(await readBy(createClient({ spaceUid: 'hana', token, apiType: 'cdn', fetch: overHttp }))).toEqual(
      first,
    )
    await expect(
      createClient({ spaceUid, token: 'wrong', apiType: 'cdn' }).getApp({ appUid: 'blog' }),
    ).rejects.toThrow(/"status": 401/)
  })
})
