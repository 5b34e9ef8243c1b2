import type { Locator, Page } from '@playwright/test'
import { createClient } from 'newt-client-js'
import sharp from 'sharp'
import { expectAccessible } from './axe.ts'
import { chooseByKeyboard } from './choosing.ts'
import { expect, test } from './fixtures.ts'
import { typeJapanese } from './japanese-input.ts'
import { enter, send } from './management-api.ts'
import { expectPickedUp } from './moving.ts'

const app = '/api/project/every-field/app/blog'
const text = { type: 'TEXT' }
const person = { uid: 'person', name: '人', fields: [{ uid: 'name', name: '名前', ...text, required: true }] }
const fields = [
  { uid: 'title', name: '題名', ...text, required: true, maxLength: 20 },
  { uid: 'slug', name: 'スラッグ', ...text, unique: true },
  { uid: 'story', name: 'あらすじ', ...text, inputType: 'textarea' },
  { uid: 'words', name: 'ことば', ...text, multiple: true },
  { uid: 'body', name: '本文', type: 'RICH_TEXT' },
  { uid: 'memo', name: 'メモ', type: 'MARKDOWN' },
  { uid: 'count', name: '匹数', type: 'NUMBER', max: 2000 },
  { uid: 'day', name: '開催日', type: 'DATE', inputType: 'date' },
  { uid: 'startsAt', name: '公開日時', type: 'DATE', inputType: 'datetime' },
  { uid: 'hour', name: '開場', type: 'DATE', inputType: 'time' },
  { uid: 'live', name: '開催中', type: 'CHECKBOX' },
  {
    uid: 'kind',
    name: '種類',
    type: 'SELECT',
    inputType: 'radio',
    options: [{ value: '春' }, { value: '秋' }],
  },
  {
    uid: 'ponds',
    name: '池',
    type: 'SELECT',
    inputType: 'none',
    options: [{ value: '大池' }, { value: '小池' }],
  },
  { uid: 'theme', name: 'テーマ色', type: 'COLOR', palette: ['#e03131'] },
  { uid: 'mood', name: '気分', type: 'EMOJI' },
  { uid: 'place', name: '会場', type: 'MAP' },
  { uid: 'video', name: '動画', type: 'EMBED' },
  { uid: 'cover', name: '表紙', type: 'IMAGE' },
  { uid: 'papers', name: '資料', type: 'FILE', multiple: true },
  { uid: 'people', name: '出演者', type: 'REFERENCE', modelUid: 'person', multiple: true },
  { uid: 'hero', name: '見出し', type: 'CUSTOM', customType: 'hero' },
  {
    uid: 'parts',
    name: '構成',
    type: 'MULTI_TYPE',
    multiple: true,
    types: [{ type: 'TEXT' }, { type: 'CUSTOM', customType: 'hero' }],
  },
]

/** Waits until a closed dialog has returned the focus. Without focus, Tab would start at the top of the page. */
async function expectClosed(page: Page, window: Locator): Promise<void> {
  await expect(window).toBeHidden()
  await expect(page.locator('body')).not.toBeFocused()
}

/**
 * Presses Tab up to 15 times until the target has the focus, as a user without a mouse does. Fails if it does not get
 * the focus.
 */
async function tabTo(page: Page, target: Locator): Promise<void> {
  const isThere = () => target.evaluate((element) => element === document.activeElement)
  for (let presses = 0; presses < 15; presses++) {
    await page.keyboard.press('Tab')
    if (await isThere()) return
  }
  await expect(target).toBeFocused()
}

test('an editor fills in every type of field by keyboard and input method, and a site reads the values', {
  tag: '@full',
}, async ({ page, app: { url } }) => {
  const { request, keyboard } = page
  await enter(request, url, 'every-field', [person])
  const hero = [{ uid: 'lead', name: '導入', ...text }]
  await send(request, url, `${app}/customFieldType`, {
    data: { uid: 'hero', name: 'ヒーロー', fields: hero },
  })
  const { model } = await send(request, url, `${app}/model`, { data: { uid: 'event', name: '催し', fields } })
  const [title, ...others] = model.fields
  others[0].slugOf = title._id
  await send(request, url, `${app}/model/event`, { data: { fields: [title, ...others] } }, 'PUT')
  const picture = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#2a7f62' } })
    .png()
    .toBuffer()
  const { csrfToken } = await (await request.get('/api/auth/csrfToken')).json()
  const upload = await request.post('/api/project/every-field/assets', {
    headers: { origin: url, 'x-csrf-token': csrfToken },
    multipart: { file: { name: '池.png', mimeType: 'image/png', buffer: picture } },
  })
  expect(upload.ok(), await upload.text()).toBe(true)
  const box = (name: string | RegExp, within: Page | Locator = page) =>
    within.getByRole('textbox', { name, exact: true })
  const group = (name: string) => page.getByRole('group', { name, exact: true })

  await page.goto('/every-field/blog/event/new')
  // The code of the inputs is loaded when they are first shown. Before that, Tab would skip them.
  for (const name of ['スラッグ', '本文', 'メモ', '開催日', 'テーマ色', '気分', '緯度', '導入'])
    await expect(box(name)).toBeVisible()
  await expect(box('題名')).toBeFocused()
  await typeJapanese(page, 'いもりのはる', 'イモリのはる')
  await tabTo(page, box('スラッグ'))
  await expect(box('スラッグ')).toHaveValue('imori-noharu')
  await tabTo(page, box('あらすじ'))
  await typeJapanese(page, 'いちぎょうめ', '一行目')
  await keyboard.press('Enter')
  await typeJapanese(page, 'にぎょうめ', '二行目')
  // In a list of texts, Enter adds the next text. The Enter that confirms a conversion must not do so.
  const words = group('ことば')
  await tabTo(page, words.getByRole('button', { name: '項目を追加' }))
  await keyboard.press('Enter')
  await expect(words.getByRole('textbox')).toBeFocused()
  await typeJapanese(page, 'あか', '赤')
  await tabTo(page, words.getByRole('button', { name: '項目を追加' }))
  await keyboard.press('Enter')
  await expect(words.getByRole('textbox').nth(1)).toBeFocused()
  await typeJapanese(page, 'あお', '青')
  await tabTo(page, box('本文'))
  await typeJapanese(page, 'いけのみず', '池の水')
  await keyboard.press('ControlOrMeta+a')
  await keyboard.press('ControlOrMeta+b')
  await tabTo(page, box('メモ'))
  await keyboard.type('# ')
  await typeJapanese(page, 'みだし', '見出し')
  // Inside the Markdown field, Tab indents until Escape is pressed.
  await keyboard.press('Escape')
  await tabTo(page, box('匹数'))
  await typeJapanese(page, '１２３４', '１２３４．５')
  await tabTo(page, box('開催日'))
  await typeJapanese(page, 'れいわはちねん', '令和8年4月1日')
  await tabTo(page, box('公開日時'))
  await keyboard.type('2026/4/2')
  await tabTo(page, page.getByLabel('公開日時の時刻'))
  await keyboard.type('0930AM')
  await tabTo(page, page.getByLabel('開場', { exact: true }))
  await keyboard.type('0815AM')
  await tabTo(page, page.getByRole('checkbox', { name: '開催中' }))
  await keyboard.press('Space')
  await tabTo(page, page.getByRole('radio', { name: '春' }))
  await keyboard.press('Space')
  await keyboard.press('ArrowRight')
  const ponds = page.getByRole('combobox', { name: '池' })
  await tabTo(page, ponds)
  await chooseByKeyboard(ponds, '小池')
  await tabTo(page, box('テーマ色'))
  await typeJapanese(page, '＃ｆ', '＃ｆｆ８８００')
  await tabTo(page, box('気分'))
  await keyboard.insertText('🦎')
  await tabTo(page, group('会場').getByRole('textbox', { name: '緯度' }))
  await keyboard.type('35.681236')
  await tabTo(page, group('会場').getByRole('textbox', { name: '経度' }))
  await keyboard.type('139.767125')
  await tabTo(page, box('動画'))
  await keyboard.insertText('<iframe src="https://player.example/1" title="池の動画"></iframe>')
  await expect(group('動画')).toContainText('池の動画')

  await tabTo(page, group('表紙').getByRole('button', { name: 'メディアから選ぶ' }))
  await keyboard.press('Enter')
  const picker = page.getByRole('dialog', { name: /を選択$/ })
  await expect(picker.getByRole('gridcell')).toHaveCount(1)
  await tabTo(page, picker.getByRole('gridcell'))
  await keyboard.press('Space')
  await tabTo(page, picker.getByRole('textbox', { name: /代替テキスト/ }))
  await typeJapanese(page, 'はるのいけ', '春の池')
  await tabTo(page, picker.getByRole('button', { name: '選択する' }))
  await keyboard.press('Enter')
  await expectClosed(page, picker)
  await expect(group('表紙')).toContainText('8×8')
  await tabTo(page, group('資料').getByRole('button', { name: 'メディアから選ぶ' }))
  await keyboard.press('Enter')
  await expect(picker.getByRole('gridcell')).toHaveCount(1)
  await tabTo(page, picker.getByRole('gridcell'))
  await keyboard.press('Space')
  await tabTo(page, picker.getByRole('button', { name: '選択する' }))
  await keyboard.press('Enter')
  await expectClosed(page, picker)
  await expect(group('資料')).toContainText('池.png')

  const people = group('出演者')
  const over = page.getByRole('dialog', { name: '「人」を新しく作る' })
  for (const [reading, name] of [
    ['はな', '花'],
    ['たろう', '太郎'],
  ] as const) {
    await tabTo(page, people.getByRole('button', { name: '新しく作る' }))
    await keyboard.press('Enter')
    await expect(box('名前', over)).toBeFocused()
    await typeJapanese(page, reading, name)
    await keyboard.press('ControlOrMeta+s')
    await expect(over).toBeHidden()
    await expect(people).toContainText(name)
    await expect(people.getByRole('button', { name: '新しく作る' })).toBeFocused()
    await keyboard.press('Shift+Tab')
  }
  await expect(people.getByText('未公開')).toHaveCount(2)
  for (let presses = 0; presses < 12; presses++) await keyboard.press('Shift+Tab')
  await tabTo(page, people.getByRole('button', { name: '「2番目の参照先」を移動' }))
  await keyboard.press('Space')
  await expectPickedUp(page, '2番目の参照先')
  await keyboard.press('ArrowUp')
  await expect(page.getByText('「2番目の参照先」は2件中1番目です')).toBeAttached()
  await keyboard.press('Space')

  await tabTo(page, group('見出し').getByRole('textbox', { name: '導入' }))
  await typeJapanese(page, 'ようこそ', 'ようこそ')
  const parts = group('構成')
  for (const kind of ['テキスト', 'ヒーロー']) {
    await tabTo(page, parts.getByRole('button', { name: 'ブロックを追加' }))
    await keyboard.press('Enter')
    await expect(box('種類を検索')).toBeFocused()
    await typeJapanese(page, kind, kind)
    await keyboard.press('Enter')
    await expect(parts.getByRole('textbox').last()).toBeFocused()
    await typeJapanese(page, 'なか', `${kind}の中`)
  }
  await expectAccessible(page, 'a document with every type of field')

  // The editor asks before it publishes a document that refers to drafts.
  await keyboard.press('ControlOrMeta+Enter')
  const question = page.getByRole('dialog', { name: '参照先に下書きがあります' })
  await expect(question).toContainText('花')
  await expect(question.getByRole('button', { name: 'キャンセル' })).toBeFocused()
  await tabTo(page, question.getByRole('button', { name: /公開する/ }))
  await keyboard.press('Enter')
  await expect(page.getByText('公開しました')).toBeVisible()

  const { cdnToken } = await send(request, url, '/api/project/every-field/cdnToken', {
    data: { name: 'site' },
  })
  const overHttp = ((address: string, init: RequestInit) => {
    const { pathname, search } = new URL(address)
    return fetch(url + pathname + search, init)
  }) as typeof fetch
  const newt = createClient({
    spaceUid: 'every-field',
    token: cdnToken.token,
    apiType: 'cdn',
    fetch: overHttp,
  })
  const read = () =>
    newt.getFirstContent<{ _sys: object; people: object[] }>({ appUid: 'blog', modelUid: 'event' })
  const _id = expect.stringMatching(/^[0-9a-f]{24}$/)
  const asset = { _id, fileName: '池.png', fileType: 'image/png', altText: '春の池' }
  const { _sys, ...values } = (await read()) ?? { _sys: {} }
  const expected = {
    _id,
    title: 'イモリのはる',
    slug: 'imori-noharu',
    story: '一行目\n二行目',
    words: ['赤', '青'],
    body: '<p><strong>池の水</strong></p>',
    memo: '<h1>見出し</h1>\n',
    count: 1234.5,
    day: '2026-04-01T00:00:00.000Z',
    startsAt: '2026-04-02T00:30:00.000Z',
    hour: expect.stringContaining('08:15'),
    live: true,
    kind: '秋',
    ponds: '小池',
    theme: '#ff8800',
    mood: { type: 'emoji', value: '🦎' },
    place: { lat: 35.681236, lng: 139.767125 },
    video: '<iframe src="https://player.example/1" title="池の動画"></iframe>',
    cover: expect.objectContaining(asset),
    papers: [expect.objectContaining(asset)],
    // Unpublished references are not delivered.
    people: [],
    hero: { lead: 'ようこそ' },
    parts: [
      { _id, type: 'TEXT', data: 'テキストの中' },
      { _id, type: 'hero', data: { lead: 'ヒーローの中' } },
    ],
  }
  expect(values).toEqual(expected)

  // The rest uses the English UI. The user publishes a referenced person in a window above the document, and enters a
  // text that is too long.
  const { currentAccount } = await (await request.get('/api/auth/getCurrentAccount')).json()
  await send(request, url, `/api/account/${currentAccount._id}`, { data: { language: 'en' } }, 'PUT')
  await page.reload()
  const edit = page.getByRole('group', { name: '出演者' }).getByRole('button', { name: 'Edit “太郎” here' })
  await expect(edit).toBeVisible()
  await edit.focus()
  await keyboard.press('Enter')
  const window = page.getByRole('dialog', { name: 'Edit: 人' })
  await expect(box('名前', window)).toHaveValue('太郎')
  await keyboard.press('ControlOrMeta+Enter')
  await expect(window).toBeHidden()
  await expect(page.getByRole('group', { name: '出演者' }).getByText('Not published')).toHaveCount(1)
  await expect(async () => expect((await read())?.people).toMatchObject([{ name: '太郎' }])).toPass()
  await box('題名').focus()
  await keyboard.press('End')
  await keyboard.type(' ga kita, kita, kita!')
  await keyboard.press('Tab')
  await expect(page.getByText('Use at most 20 characters')).toBeVisible()
})
