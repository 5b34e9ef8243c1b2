import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from '@playwright/test'
import type { App } from './app.ts'
import { expectAccessible } from './axe.ts'
import { expect, test } from './fixtures.ts'
import { lookAt } from './look-at.ts'
import { enter, joinSpace, send } from './management-api.ts'
import { expectPickedUp } from './moving.ts'

const space = 'letters'
const list = `/${space}/-/forms`

/** Serves the page of a site at another origin than Imori's. Returns its address and a function that sets its body. */
async function startSite() {
  let body = ''
  const server = createServer((_, response) => {
    response
      .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
      .end(`<!doctype html><html lang="ja"><title>会社のサイト</title><body>${body}</body></html>`)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/contact`,
    show: (html: string) => {
      body = html
    },
    close: () =>
      new Promise((done) => {
        server.closeAllConnections()
        server.close(done)
      }),
  }
}

/** Creates a form from the contact preset, and adds, moves and saves a field. */
async function buildForm(page: Page): Promise<void> {
  await page.goto(`/${space}`)
  await page.getByRole('link', { name: 'フォーム', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'フォームはまだありません' })).toBeVisible()
  await expectAccessible(page, 'forms-empty')
  await page.getByRole('button', { name: /^お問い合わせ/ }).click()
  const dialog = page.getByRole('dialog', { name: 'フォームを作成' })
  await expect(dialog.getByRole('textbox', { name: '名前' })).toHaveValue('お問い合わせ')
  await expectAccessible(page, 'new form')
  await dialog.getByRole('button', { name: '作成する' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('お問い合わせ')

  await page.getByRole('button', { name: '項目を追加' }).click()
  await expectAccessible(page, 'types of fields')
  await page.getByRole('menuitem', { name: /^1つ選択/ }).click()
  const drawer = page.getByRole('dialog', { name: '1つ選択' })
  await drawer.getByRole('textbox', { name: 'ラベル' }).fill('ご用件')
  await drawer.getByRole('textbox', { name: '名前（HTMLのname）' }).fill('kind')
  await drawer.getByRole('textbox', { name: '選択肢1の表示' }).fill('見積り')
  await page.keyboard.press('Enter')
  await expect(drawer.getByRole('textbox', { name: '選択肢2の表示' })).toBeFocused()
  await page.keyboard.type('採用')
  await lookAt(page, 'form-field')
  await drawer.getByRole('button', { name: '完了' }).click()
  await expect(page.getByRole('region', { name: 'プレビュー' }).getByLabel('見積り')).toBeVisible()

  // Handles also work by keyboard.
  await expect(page.getByRole('button', { name: /^ご用件/ })).toBeFocused()
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Space')
  await expectPickedUp(page, 'ご用件')
  await page.keyboard.press('ArrowUp')
  await expect(page.getByText('「ご用件」は6件中5番目です')).toBeAttached()
  await page.keyboard.press('Space')
  await expect(page.getByRole('button', { name: /の操作$/ }).nth(4)).toHaveAccessibleName('「ご用件」の操作')
  await page.getByRole('button', { name: '「件名」の操作' }).click()
  await page.getByRole('menuitem', { name: '削除' }).click()
  await expect(page.getByRole('button', { name: '「件名」の操作' })).toHaveCount(0)
  await page.getByRole('button', { name: '元に戻す' }).click()
  await expect(page.getByRole('button', { name: '「件名」の操作' })).toBeVisible()
  await page.getByRole('button', { name: '保存する' }).click()
  await expect(page.getByText('保存しました。')).toBeVisible()
  await lookAt(page, 'form-fields')
}

/** Copies the code of a tab on the page with the code. */
async function copyCode(page: Page, tab: string): Promise<string> {
  await page.getByRole('tab', { name: tab }).click()
  await page.getByRole('tabpanel', { name: tab }).getByRole('button', { name: 'コードをコピー' }).click()
  await expect(page.getByRole('status').getByText('コピーしました')).toBeAttached()
  return page.evaluate(() => navigator.clipboard.readText())
}

async function fillIn(site: Page, name: string): Promise<void> {
  await site.getByLabel('お名前').fill(name)
  await site.getByLabel('メールアドレス').fill('Tanaka@example.com')
  await site.getByLabel('お問い合わせ内容').fill('はじめまして。\n資料をください：https://example.com/a?b=1')
  await site.getByLabel('採用').check()
  await site.getByLabel('プライバシーポリシーに同意します').check()
}

type Site = Awaited<ReturnType<typeof startSite>>

/** Sends the form from a page of another origin: with plain HTML, and with the script. Returns the HTML. */
async function sendFromSite(page: Page, site: Page, { show, url }: Site): Promise<string> {
  await page.getByRole('link', { name: '設置', exact: true }).click()
  await expectAccessible(page, 'form-install')
  const html = await copyCode(page, 'HTML')
  const script = await copyCode(page, 'fetch')

  show(html)
  await site.goto(url)
  await fillIn(site, '田中 <b>一郎</b>')
  await site.getByRole('button', { name: '送信する' }).click()
  await expect(site.getByText('お問い合わせありがとうございます。')).toBeVisible()

  show(html + script)
  await site.goto(url)
  await fillIn(site, '=HYPERLINK("https://evil.example")')
  // The browser accepts this address, and the form does not.
  await site.getByLabel('メールアドレス').fill('tanaka@localhost')
  await site.getByRole('button', { name: '送信する' }).click()
  await expect(site.getByRole('status')).toHaveText('メールアドレス: 形式が正しくありません')
  await site.getByLabel('メールアドレス').fill('suzuki@example.com')
  await site.getByRole('button', { name: '送信する' }).click()
  await expect(site.getByRole('status')).toContainText('お問い合わせありがとうございます。')
  await expect(site).toHaveURL(url)
  return html
}

/** Reads both submissions, changes a state, and deletes one and restores it. */
async function workInInbox(page: Page): Promise<void> {
  await page.getByRole('link', { name: '受信箱' }).click()
  const rows = page.getByRole('row')
  await expect(rows).toHaveCount(2)
  await expect(page.getByRole('link', { name: /^フォーム.*未対応2件/ })).toBeVisible()
  await lookAt(page, 'inbox')

  await rows.filter({ hasText: '田中 <b>一郎</b>' }).click()
  const drawer = page.getByRole('dialog')
  await expect(drawer.getByText('はじめまして。')).toBeVisible()
  await expect(drawer.getByText('採用')).toBeVisible()
  await expect(drawer.getByRole('link', { name: 'https://example.com/a?b=1' })).toHaveAttribute(
    'rel',
    /noopener/,
  )
  await lookAt(page, 'submission')
  await drawer.getByRole('button', { name: '対応中にする' }).click()
  await expect(drawer.getByRole('button', { name: '状態：対応中' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(rows).toHaveCount(1)

  // The rest by keyboard: the first key moves to the list, and the last one deletes.
  await page.keyboard.press('j')
  await expect(rows.first()).toBeFocused()
  await page.keyboard.press('#')
  await expect(page.getByRole('heading', { name: '未対応の送信内容はありません' })).toBeVisible()
  // An earlier toast may offer to undo the change of the state.
  await expect(page.getByText('1件をゴミ箱に移しました')).toBeVisible()
  await page.getByRole('button', { name: '元に戻す' }).last().click()
  await expect(rows).toHaveCount(1)
  await page.getByRole('link', { name: 'すべて' }).click()
  await expect(rows).toHaveCount(2)
  await page.getByRole('checkbox', { name: '表示中の2件を選択' }).check()
  const bar = page.getByRole('region', { name: '選択した送信内容の操作' })
  await bar.getByRole('button', { name: '対応済みにする' }).click()
  await expect(page.getByRole('link', { name: '対応済み 2' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'フォーム', exact: true })).toBeVisible()
}

/** Downloads the submissions as CSV. Formulas in it are harmless. */
async function exportCsv(page: Page): Promise<void> {
  await page.getByRole('button', { name: '書き出す' }).click()
  await expectAccessible(page, 'export')
  const downloading = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: /^CSV/ }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toMatch(/\.csv$/)
  const csv = await readFile(await download.path(), 'utf8')
  expect(csv).toContain('お問い合わせ内容')
  expect(csv).toContain('田中 <b>一郎</b>')
  expect(csv).toContain(`"'=HYPERLINK(""https://evil.example"")"`)
}

/** Changes the settings, moves the form to the trash and restores it. */
async function changeSettings(page: Page, site: Page, url: string): Promise<void> {
  await page.getByRole('link', { name: '設定', exact: true }).last().click()
  await page.getByRole('textbox', { name: 'サイトのアドレス' }).fill('https://www.example.com\nexample.com')
  await page.getByRole('switch', { name: '送信を受け付ける' }).press('Space')
  await page.getByRole('radio', { name: '日数を決めて削除する' }).check()
  await page.getByRole('button', { name: '保存する' }).click()
  await expect(page.getByText('「example.com」は正しくありません')).toBeVisible()
  await lookAt(page, 'form-settings')
  await page.getByRole('textbox', { name: 'サイトのアドレス' }).fill('')
  await page.getByRole('button', { name: '保存する' }).click()
  await expect(page.getByText('停止中')).toBeVisible()
  await site.goto(url)
  await fillIn(site, '遅れた人')
  await site.getByRole('button', { name: '送信する' }).click()
  await expect(site.getByText('このフォームは現在、受け付けを停止しています')).toBeVisible()

  const inbox = page.url().replace(/\/settings$/, '')
  await page.getByRole('button', { name: 'ゴミ箱に移す' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'ゴミ箱に移す' }).click()
  await expect(page.getByRole('heading', { name: 'フォームはまだありません' })).toBeVisible()
  await page.goto(inbox)
  await expect(page.getByRole('heading', { name: 'このフォームはゴミ箱にあります' })).toBeVisible()
  await expect(page.getByText('受付中')).toHaveCount(0)
  await expectAccessible(page, 'form-in-trash')
  await page.getByRole('link', { name: 'フォームのゴミ箱' }).click()
  await expectAccessible(page, 'forms-trash')
  await page.getByRole('button', { name: '「お問い合わせ」を元に戻す' }).click()
  await page.getByRole('link', { name: 'フォームの一覧' }).click()
  await expect(page.getByRole('list', { name: 'フォーム' }).getByRole('listitem')).toHaveCount(1)
  await expectAccessible(page, 'forms')
}

/** Checks the pages in English, for a member who may read everything but change nothing. */
async function isReadOnly(page: Page, guest: Page, { url }: App): Promise<void> {
  const { role } = await send(page.request, url, `/api/project/${space}/role`, {
    data: { name: 'Reader', rights: ['space.view', 'form.read', 'submission.read'] },
  })
  await joinSpace(page.request, guest.request, url, space, {
    email: 'reader@example.com',
    password: '夏の池は緑色です2026',
    name: 'Reader',
    invitation: { roleId: role.uid },
  })
  const { currentAccount } = await (await guest.request.get(`${url}/api/auth/getCurrentAccount`)).json()
  await send(guest.request, url, `/api/account/${currentAccount._id}`, { data: { language: 'en' } }, 'PUT')
  await guest.goto(`${url}${list}`)
  await guest.getByRole('link', { name: 'お問い合わせ' }).click()
  await guest.getByRole('link', { name: 'All', exact: true }).click()
  await expect(guest.getByRole('row')).toHaveCount(2)
  await expect(guest.getByRole('checkbox')).toHaveCount(0)
  await expectAccessible(guest, 'inbox in English')
  await guest.getByRole('row').first().click()
  await expect(guest.getByRole('dialog').getByText('Done', { exact: true })).toBeVisible()
  await expect(guest.getByRole('dialog').getByRole('button', { name: 'Move to trash' })).toHaveCount(0)
  await guest.keyboard.press('Escape')
  await guest.getByRole('link', { name: 'Fields' }).click()
  await expect(guest.getByRole('button', { name: 'Add field' })).toHaveCount(0)
  await expectAccessible(guest, 'fields in English')
}

test('a form is built from a preset and installed, and its submissions are read, changed and exported', async ({
  page,
  context,
  browser,
  app,
}) => {
  await enter(page.request, app.url, space, [])
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: app.url })
  const site = await startSite()
  try {
    const visitor = await context.newPage()
    await buildForm(page)
    const html = await sendFromSite(page, visitor, site)
    await workInInbox(page)
    await exportCsv(page)
    site.show(html)
    await changeSettings(page, visitor, site.url)
    const guest = await browser.newContext({ locale: 'en-US', reducedMotion: 'reduce' })
    await isReadOnly(page, await guest.newPage(), app)
    await guest.close()
  } finally {
    await site.close()
  }
})
