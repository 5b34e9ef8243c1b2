import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Page } from '@playwright/test'
import pg from 'pg'
import sharp, { type Sharp } from 'sharp'
import { type App, startApp } from './app.ts'
import { expectAccessible } from './axe.ts'
import { whole } from './browser.ts'
import { expect, test, withBeside } from './fixtures.ts'
import { typeJapanese } from './japanese-input.ts'
import { enter, person, send } from './management-api.ts'
import { photograph } from './photograph.ts'
import { openStorage } from './storage.ts'

test.describe.configure({ mode: 'serial' })

const other = { email: 'sora@example.com', password: 'いもりは空を見る2026', name: '佐藤 空' }
const megabyte = 1024 * 1024

let main: App
let storage: Awaited<ReturnType<typeof openStorage>>
/** URL of a proxy in front of the server. Tests can cut its connections. */
let origin: string
const wire = { cutAfter: Number.POSITIVE_INFINITY, isCut: false }
const front = createServer((client) => {
  const server = connect(Number(new URL(main.url).port), 'localhost')
  const cut = () => {
    client.destroy()
    server.destroy()
  }
  let sent = 0
  for (const socket of [client, server]) socket.on('error', cut).on('close', cut)
  if (wire.isCut) return cut()
  client.on('data', (bytes) => {
    sent += bytes.length
    if (sent < wire.cutAfter) return
    wire.isCut = true
    cut()
  })
  client.pipe(server).pipe(client)
})

test.use({
  installation: {
    async start() {
      await once(front.listen(0, 'localhost'), 'listening')
      origin = `http://localhost:${(front.address() as AddressInfo).port}`
      storage = await openStorage()
      const app = await startApp({ ...storage.env, IMORI_URL: origin })
      return withBeside(app, storage, { close: async () => front.close() })
    },
  },
})
test.beforeEach(({ app }) => {
  main = app
})

async function inDatabase(work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: main.database })
  await client.connect()
  await work(client)
  await client.end()
}

/** Opens a page in a new browser context in which `who` is signed in. `isNew`: signs up the account first. */
async function visit(
  browser: Browser,
  who: typeof person,
  { isNew = false, ...options }: Parameters<Browser['newContext']>[0] & { isNew?: boolean } = {},
): Promise<{ page: Page; context: BrowserContext }> {
  const context = await browser.newContext({ baseURL: origin, reducedMotion: 'reduce', ...options })
  const { name, ...credentials } = who
  if (isNew) await send(context.request, origin, '/api/auth/signup', { ...credentials, name })
  else if (who === person) await enter(context.request, origin, 'pond', [])
  else await send(context.request, origin, '/api/auth/login', credentials)
  return { page: await context.newPage(), context }
}

/** Returns a picture with a white disc. The position of the disc shows how the picture was cropped and rotated. */
const picture = (hue: number, disc = { x: 200, y: 150 }) =>
  sharp({ create: { width: 800, height: 600, channels: 3, background: `hsl(${hue},60%,40%)` } })
    .composite([
      {
        input: Buffer.from(
          '<svg width="100" height="100"><circle cx="50" cy="50" r="50" fill="#fff"/></svg>',
        ),
        left: disc.x - 50,
        top: disc.y - 50,
      },
    ])
    .jpeg()
    .toBuffer()

/** Creates a local file for a file input. The browser derives the type of the file from its name. */
async function file(name: string, bytes: Buffer | string): Promise<string> {
  const folder = join(main.dataDir, 'chosen')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, name), bytes)
  return join(folder, name)
}

const uploads = (page: Page) => page.getByRole('region', { name: /^(アップロードの状況|Uploads)$/ })
const tiles = (page: Page) => page.getByRole('grid').getByRole('gridcell')
const tile = (page: Page, name: string) => tiles(page).filter({ hasText: name })
const choose = (page: Page) => page.locator('input[type=file][multiple]').first()

/**
 * Checks that axe finds no serious violation in either colour scheme, and that the page has no horizontal overflow in
 * the light one.
 */
async function look(page: Page, screen: string): Promise<void> {
  await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await expectAccessible(page, `${screen}, ${colorScheme}`, colorScheme === 'light' ? 'all' : 'colors')
    await photograph(page, `${screen}-${colorScheme}`)
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  expect(overflow, screen).toBeLessThanOrEqual(0)
}

test('a user uploads, describes, crops, replaces, deletes and restores pictures', {
  tag: '@full',
}, async ({ browser }) => {
  const { page, context } = await visit(browser, person, { locale: 'ja-JP', isNew: true })
  await send(context.request, origin, '/api/project', { project: { uid: 'pond', name: '池' } })
  const seen = { responses: [] as string[] }
  page.on('response', (answer) => {
    if (answer.status() >= 500) seen.responses.push(`${answer.status()} ${answer.url()}`)
  })

  await page.goto('/pond')
  await page.getByRole('link', { name: 'メディア' }).click()
  await expect(page.getByRole('heading', { name: 'まだファイルがありません' })).toBeVisible()
  await look(page, 'empty')

  // Ten files are chosen together. One of them is too large, and the content of one does not match its name.
  const pictures = await Promise.all(
    Array.from({ length: 7 }, async (_, index) => ({
      name: `池の写真${index + 1}.jpg`,
      bytes: await picture(index * 50),
    })),
  )
  await choose(page).setInputFiles([
    ...(await Promise.all(pictures.map(({ name, bytes }) => file(name, bytes)))),
    await file('メモ.txt', 'いもりの観察'),
    await file('大きい.png', Buffer.alloc(20 * megabyte + 1)),
    await file('うそ.png', '<script>alert(1)</script>'),
  ])
  await expect(uploads(page).getByText('8件が完了、2件はアップロードできませんでした')).toBeVisible()
  const row = (text: string) => uploads(page).getByRole('listitem').filter({ hasText: text })
  await expect(row('大きい.png')).toContainText('1ファイル20 MBまでアップロードできます')
  await expect(row('うそ.png').getByRole('alert')).toBeVisible()
  await expect(page.getByText('全8件')).toBeVisible()
  await look(page, 'uploaded')
  await page.getByRole('button', { name: 'アップロードの状況を閉じる' }).click()

  // A file with the same content is recognised as a duplicate.
  await choose(page).setInputFiles(await file('また同じ.jpg', pictures[0]!.bytes))
  await expect(row('また同じ.jpg')).toContainText('同じ内容のファイルがすでにあります')
  await row('また同じ.jpg').getByRole('button', { name: '新しいファイルを削除' }).click()
  await expect(page.getByText('全8件')).toBeVisible()
  await expect(uploads(page)).toHaveCount(0)

  // The metadata and a new tag are typed with a Japanese input method.
  await tile(page, '池の写真3.jpg').click()
  const details = page.getByRole('dialog')
  await details.getByLabel('代替テキスト').click()
  await typeJapanese(page, 'よるのいけ', '夜の池')
  await details.getByPlaceholder('選択、または入力してEnterで追加').click()
  await typeJapanese(page, 'なつ', '夏')
  await page.keyboard.press('Enter')
  await expect(details.locator('.mantine-Pill-root').filter({ hasText: '夏' })).toBeVisible()
  await expect(details.getByText(/に保存済み/)).toBeVisible()

  // The focal point is moved with the arrow keys and saved.
  await details.getByText('フォーカルポイント', { exact: true }).click()
  const marker = details.getByRole('button', { name: /^フォーカルポイント：/ })
  await marker.press('Shift+ArrowLeft')
  await marker.press('ArrowUp')
  await expect(marker).toHaveAccessibleName('フォーカルポイント：左から40%、上から49%')
  await expect(details.getByText(/に保存済み/)).toBeVisible()
  await look(page, 'details')
  await page.reload()
  await details.getByText('フォーカルポイント', { exact: true }).click()
  await expect(marker).toHaveAccessibleName('フォーカルポイント：左から40%、上から49%')
  await expect(details.getByLabel('代替テキスト')).toHaveValue('夜の池')

  // The picture is rotated, then cropped by keyboard and by numbers. The URL of the picture stays the same and serves
  // the new content.
  const address = await details.getByLabel('URL', { exact: true }).inputValue()
  const original = await (await context.request.get(address)).body()
  expect(sha(original)).toBe(sha(pictures[2]!.bytes))
  await details.getByRole('button', { name: '切り抜き・回転' }).click()
  const crop = page.getByRole('dialog', { name: '切り抜き・回転' })
  await crop.getByRole('button', { name: '右に90°回転' }).click()
  // Escape closes only the upper dialog.
  await page.keyboard.press('Escape')
  await expect(crop).toHaveCount(0)
  await expect(details).toBeVisible()
  await details.getByRole('button', { name: '切り抜き・回転' }).click()
  await crop.getByRole('button', { name: '右に90°回転' }).click()
  await crop.getByText('1:1', { exact: true }).click()
  await crop.getByRole('textbox', { name: '上端' }).fill('0')
  await crop.getByRole('button', { name: /^切り抜く範囲/ }).press('ArrowDown')
  await look(page, 'crop')
  await crop.getByRole('button', { name: '適用する' }).click()
  await expect(crop).toHaveCount(0)
  const cropped = sharp(await (await context.request.get(address)).body())
  expect(await cropped.metadata()).toMatchObject({ width: 600, height: 600 })
  // The disc was at 200, 150. After the rotation it is at 450, 200, and 8 pixels are cropped at the top.
  expect(await brightnessAt(cropped, 450, 192)).toBeGreaterThan(240)

  await details.getByRole('button', { name: '1つ前のファイルに戻す' }).click()
  await expect(page.getByText('1つ前のファイルに戻しました')).toBeVisible()
  expect(sha(await (await context.request.get(address)).body())).toBe(sha(original))
  const replacement = await picture(300)
  await page.locator('input[type=file]:not([multiple])').setInputFiles(await file('x.jpg', replacement))
  await expect(page.getByText('ファイルを差し替えました')).toBeVisible()
  expect(sha(await (await context.request.get(address)).body())).toBe(sha(replacement))
  await expect(details.getByLabel('代替テキスト')).toHaveValue('夜の池')

  const saving = page.waitForEvent('download')
  await details.getByRole('link', { name: 'ダウンロード' }).click()
  const saved = await saving
  expect(saved.suggestedFilename()).toBe('池の写真3.jpg')
  expect(sha(await readFile(await saved.path()))).toBe(sha(replacement))
  await page.keyboard.press('Escape')
  await expect(details).toHaveCount(0)

  // With the keyboard: select a range, add tags to all of it, move it to the trash and restore it.
  await tile(page, '池の写真7.jpg').focus()
  await page.keyboard.press('Space')
  await page.keyboard.press('Shift+ArrowRight')
  await page.keyboard.press('Shift+ArrowRight')
  await expect(page.getByText('3件を選択中')).toBeVisible()
  await page.getByRole('button', { name: 'タグを編集' }).click()
  await page.getByRole('combobox', { name: '追加するタグ' }).fill('夏')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: '適用する' }).click()
  await expect(page.getByText('3件のタグを変更しました')).toBeVisible()
  await page.getByRole('combobox', { name: 'タグ', exact: true }).click()
  await page.getByRole('option', { name: '夏' }).click()
  await expect(page.getByText('4件が見つかりました')).toBeVisible()
  await page.getByRole('button', { name: 'この絞り込みを保存' }).click()
  await page.getByLabel('フォルダー名').fill('夏の写真')
  await page.getByRole('button', { name: '保存する' }).click()
  await page.getByRole('navigation', { name: 'フォルダー' }).getByRole('button', { name: 'すべて' }).click()
  await page.getByRole('button', { name: '夏の写真', exact: true }).click()
  await expect(tiles(page)).toHaveCount(4)
  await page.keyboard.press('/')
  await expect(page.getByLabel('キーワードで検索')).toBeFocused()

  await tiles(page).first().focus()
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Delete')
  await page.getByRole('dialog').getByRole('button', { name: '削除する' }).click()
  const toast = page.getByRole('status').filter({ hasText: '4件をゴミ箱に移動しました' })
  await toast.getByRole('button', { name: '元に戻す' }).click()
  await expect(page.getByText('4件を元に戻しました')).toBeVisible()
  await expect(tiles(page)).toHaveCount(4)
  await tiles(page).first().focus()
  await page.keyboard.press('Delete')
  await page.getByRole('dialog').getByRole('button', { name: '削除する' }).click()
  await expect(tiles(page)).toHaveCount(3)
  await page.getByRole('navigation', { name: 'フォルダー' }).getByRole('button', { name: 'ゴミ箱' }).click()
  await expect(tiles(page)).toHaveCount(2)
  await look(page, 'trash')
  await tiles(page).first().focus()
  await page.keyboard.press('Control+a')
  await page
    .getByRole('region', { name: '選択したファイルの操作' })
    .getByRole('button', { name: '元に戻す' })
    .click()
  await expect(page.getByText('ゴミ箱は空です')).toBeVisible()

  // A tag is added and deleted. Another tag cannot be renamed to a name that differs from an existing name only between
  // hiragana and katakana.
  await page.getByRole('navigation', { name: 'フォルダー' }).getByRole('button', { name: 'すべて' }).click()
  await page.getByRole('button', { name: 'タグの管理' }).click()
  await page.getByLabel('新しいタグ').fill('ナツ')
  await page.getByRole('button', { name: '追加する' }).click()
  await expect(page.getByRole('listitem').filter({ hasText: 'ナツ' })).toBeVisible()
  await page.getByRole('button', { name: 'タグ「夏」の名前を変更' }).click()
  await page.getByRole('textbox', { name: 'タグ「夏」の名前を変更' }).fill('なつ')
  await page.keyboard.press('Enter')
  await expect(page.getByText('このタグ名はすでに使われています')).toBeVisible()
  await look(page, 'tags')
  await page.getByRole('button', { name: 'キャンセル' }).click()
  await page.getByRole('button', { name: 'タグ「ナツ」を削除' }).click()
  await page.getByRole('dialog', { name: /ナツ/ }).getByRole('button', { name: '削除する' }).click()
  await expect(page.getByRole('listitem').filter({ hasText: 'ナツ' })).toHaveCount(0)
  expect(seen.responses).toEqual([])
  await context.close()
})

test('an upload is completed after a lost connection', async ({ browser }) => {
  const { page, context } = await visit(browser, person, { locale: 'ja-JP' })
  await page.goto('/pond/-/assets')
  const ranges: string[] = []
  page.on('request', (asked) => {
    const range = asked.headers()['content-range']
    if (range) ranges.push(range)
  })
  const bytes = Buffer.alloc(6 * megabyte, 'imori\n')
  wire.cutAfter = 3 * megabyte
  await choose(page).setInputFiles(await file('長い.txt', bytes))
  await expect(uploads(page).getByText('接続が切れました', { exact: false })).toBeVisible()
  // The panel of uploads closes soon after the upload has ended. The upload may end before the other page is shown.
  const leave = async () => {
    await page.getByRole('link', { name: '設定', exact: true }).click()
    await page.getByRole('link', { name: 'メンバー' }).click()
    await expect(page.getByRole('heading', { name: 'メンバー', level: 1 })).toBeVisible()
  }
  Object.assign(wire, { cutAfter: Number.POSITIVE_INFINITY, isCut: false })
  await Promise.all([
    expect(uploads(page).getByText('1件のアップロードが完了しました')).toBeVisible(),
    leave(),
  ])
  // A bucket accepts only complete files.
  if (!storage.isBucket) {
    expect(ranges.length).toBeGreaterThan(0)
    expect(Number(/^bytes (\d+)-/.exec(ranges.at(-1) ?? '')?.[1])).toBeGreaterThan(0)
  }
  await page.goto('/pond/-/assets')
  await tile(page, '長い.txt').click()
  const address = await page.getByRole('dialog').getByLabel('URL', { exact: true }).inputValue()
  expect(sha(await (await context.request.get(address)).body())).toBe(sha(bytes))
  await context.close()
})

async function bring(
  page: Page,
  way: 'drop' | 'paste',
  ...files: { name: string; type: string; bytes: Buffer }[]
): Promise<void> {
  const sent = files.map(({ bytes, ...about }) => ({ ...about, base64: bytes.toString('base64') }))
  await page.evaluate(
    ([way, sent]) => {
      const data = new DataTransfer()
      for (const { name, type, base64 } of sent) {
        const bytes = Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0))
        data.items.add(new File([bytes], name, { type }))
      }
      const options = { bubbles: true, cancelable: true }
      if (way === 'paste')
        document.body.dispatchEvent(new ClipboardEvent('paste', { ...options, clipboardData: data }))
      else
        for (const step of ['dragenter', 'dragover', 'drop'])
          document.body.dispatchEvent(new DragEvent(step, { ...options, dataTransfer: data }))
    },
    [way, sent] as const,
  )
}

/** Returns a video of a few frames, recorded by the browser. */
async function film(page: Page): Promise<Buffer> {
  const base64 = await page.evaluate(async () => {
    const canvas = document.createElement('canvas')
    Object.assign(canvas, { width: 64, height: 48 })
    const context = canvas.getContext('2d')
    const recorder = new MediaRecorder(canvas.captureStream(), { mimeType: 'video/webm;codecs=vp8' })
    const parts: Blob[] = []
    recorder.addEventListener('dataavailable', ({ data }) => parts.push(data))
    recorder.start(50)
    for (let frame = 0; parts.every(({ size }) => size === 0) || frame < 12; frame++) {
      if (context) context.fillStyle = `hsl(${frame * 20} 60% 50%)`
      context?.fillRect(0, 0, 64, 48)
      await new Promise(requestAnimationFrame)
    }
    const stopped = new Promise((resolve) => recorder.addEventListener('stop', resolve))
    recorder.stop()
    await stopped
    const bytes = new Uint8Array(await new Blob(parts).arrayBuffer())
    return btoa(String.fromCharCode(...bytes))
  })
  return Buffer.from(base64, 'base64')
}

/** Returns a WAV file with a tone of 0.25 seconds. */
function sound(): Buffer {
  const samples = Buffer.from(Array.from({ length: 2000 }, (_, at) => 128 + 100 * Math.sin(at / 3)))
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + samples.length, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20) // PCM
  head.writeUInt16LE(1, 22) // one channel
  head.writeUInt32LE(8000, 24)
  head.writeUInt32LE(8000, 28)
  head.writeUInt16LE(1, 32)
  head.writeUInt16LE(8, 34)
  head.write('data', 36)
  head.writeUInt32LE(samples.length, 40)
  return Buffer.concat([head, samples])
}

/** Returns a PDF of one page with a red square. */
function paper(): Buffer {
  const drawing = '1 0 0 rg 50 50 100 100 re f'
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R >>',
    `<< /Length ${drawing.length} >>\nstream\n${drawing}\nendstream`,
  ]
  let text = '%PDF-1.4\n'
  const offsets = objects.map((object, index) => {
    const offset = text.length
    text += `${index + 1} 0 obj\n${object}\nendobj\n`
    return `${String(offset).padStart(10, '0')} 00000 n \n`
  })
  const table = text.length
  text += `xref\n0 5\n0000000000 65535 f \n${offsets.join('')}`
  return Buffer.from(`${text}trailer\n<< /Size 5 /Root 1 0 R >>\nstartxref\n${table}\n%%EOF\n`)
}

test('dropped and pasted files are uploaded, and a video and a sound can be played', async ({ browser }) => {
  const { page, context } = await visit(browser, person, { locale: 'ja-JP' })
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('signedUrl?')) asked.push(request.url())
  })
  await page.goto('/pond/-/assets')
  await expect(tiles(page).first()).toBeVisible()
  const row = (text: string) => uploads(page).getByRole('listitem').filter({ hasText: text })
  const close = () => page.getByRole('button', { name: 'アップロードの状況を閉じる' }).click()

  // A rejected file is reported, and no upload is requested for it.
  await bring(
    page,
    'drop',
    { name: '泳ぐ.webm', type: 'video/webm', bytes: await film(page) },
    { name: '鳴く.wav', type: 'audio/wav', bytes: sound() },
    { name: '案内.pdf', type: 'application/pdf', bytes: paper() },
    { name: '空.txt', type: 'text/plain', bytes: Buffer.alloc(0) },
  )
  await expect(uploads(page).getByText('3件が完了、1件はアップロードできませんでした')).toBeVisible()
  await expect(row('空.txt').getByRole('alert')).toBeVisible()
  expect(asked.map((url) => new URL(url).searchParams.get('fileName')).sort()).toEqual(
    ['案内.pdf', '泳ぐ.webm', '鳴く.wav'].sort(),
  )
  await close()
  await bring(page, 'paste', { name: 'image.png', type: 'image/png', bytes: await picture(120) })
  // The focus keeps the panel open after the upload.
  await uploads(page).getByRole('button').first().focus()
  await expect(uploads(page).getByText('1件のアップロードが完了しました')).toBeVisible()
  await close()

  // URLs in the local network are refused.
  await page.getByRole('button', { name: 'その他のアップロード方法' }).click()
  await page.getByRole('menuitem', { name: 'URLから取り込む' }).click()
  const asking = page.getByRole('dialog')
  await asking.getByRole('textbox').fill('photo.jpg')
  await page.keyboard.press('Enter')
  await expect(asking.getByText('で始まるURLを入力してください')).toBeVisible()
  await asking.getByRole('textbox').fill(`${origin}/favicon.svg`)
  await page.keyboard.press('Enter')
  await expect(row('favicon.svg').getByRole('alert')).toBeVisible()
  await close()

  const details = page.getByRole('dialog')
  const open = async (name: string) => {
    await tile(page, name).click()
    await expect(details).toBeVisible()
  }
  const plays = (media: ReturnType<Page['locator']>) =>
    expect
      .poll(() =>
        media.evaluate(async (element) => {
          const player = element as HTMLMediaElement
          player.muted = true
          await player.play().catch(() => undefined)
          return player.currentTime > 0 && player.error === null
        }),
      )
      .toBe(true)
  await open('泳ぐ.webm')
  const video = details.locator('video')
  await plays(video)
  expect(await video.evaluate((element) => (element as HTMLVideoElement).videoWidth)).toBe(64)
  await page.keyboard.press('Escape')
  await open('鳴く.wav')
  await plays(details.locator('audio'))
  await page.keyboard.press('Escape')
  await open('案内.pdf')
  await expect(details.getByRole('link', { name: 'PDFを新しいタブで開く' })).toBeVisible()
  await context.close()
})

test('a PDF is shown if the browser has a viewer', { tag: '@full' }, async () => {
  // The headless browser has no PDF viewer, so this test starts the full browser.
  const browser = await chromium.launch(whole)
  const { page } = await visit(browser, person, { locale: 'ja-JP' })
  await page.goto('/pond/-/assets')
  await tile(page, '案内.pdf').click()
  if (await page.evaluate(() => navigator.pdfViewerEnabled)) {
    const shown = page.getByRole('dialog').locator('iframe')
    await expect.poll(async () => redShare(await shown.screenshot())).toBeGreaterThan(0.02)
  }
  await browser.close()
})

test('a member can edit own files but not files of other users, on a phone and in English', {
  tag: '@full',
}, async ({ browser }) => {
  const { page, context } = await visit(browser, other, {
    isNew: true,
    locale: 'en-US',
    viewport: { width: 390, height: 800 },
    hasTouch: true,
  })
  await inDatabase(async (client) => {
    await client.query("UPDATE account SET language = 'en' WHERE email = $1", [other.email])
    await client.query(
      `INSERT INTO space_member (space_id, id, account_id, role)
        SELECT space.id, repeat('e', 24), account.id, 'pjt-Member' FROM space, account WHERE account.email = $1`,
      [other.email],
    )
  })
  await page.goto('/pond/-/assets')
  await expect(page.getByText('14 files')).toBeVisible()
  await look(page, 'phone')
  const filters = page.getByRole('button', { name: 'Filters' })
  await filters.tap()
  const sheet = page.getByRole('dialog', { name: 'Filters' })
  await sheet.getByRole('combobox', { name: 'Type' }).tap()
  await page.getByRole('option', { name: 'Videos' }).tap()
  await look(page, 'phone-filters')
  await sheet.getByRole('button', { name: 'Show the files' }).tap()
  await expect(page.getByText('1 file found')).toBeVisible()
  await expect(filters).toContainText('1')
  await filters.tap()
  await sheet.getByRole('button', { name: 'Clear filters' }).tap()
  await sheet.getByRole('button', { name: 'Close' }).tap()
  await expect(page.getByText('14 files')).toBeVisible()
  await tile(page, '池の写真1.jpg').tap()
  const details = page.getByRole('dialog')
  await expect(
    details.getByText('You do not have permission to edit this file.', { exact: false }),
  ).toBeVisible()
  await expect(details.getByRole('link', { name: 'Download' })).toBeVisible()
  await expect(details.getByRole('button', { name: 'Replace' })).toHaveCount(0)
  await expect(details.getByRole('button', { name: 'Delete' })).toHaveCount(0)
  await look(page, 'phone-details')
  await page.goBack()
  await expect(details).toHaveCount(0)

  await choose(page).setInputFiles(await file('mine.jpg', await picture(20)))
  // The focus keeps the panel open after the upload.
  await uploads(page).getByRole('button').first().focus()
  await expect(uploads(page).getByText('1 file uploaded')).toBeVisible()
  await page.getByRole('button', { name: 'Close the uploads' }).tap()
  await tile(page, 'mine.jpg').tap()
  await details.getByLabel('Alt text').fill('My pond')
  await expect(details.getByText(/^Saved/)).toBeVisible()

  // Another user changes the file at the same time.
  const admin = await visit(browser, person)
  const assetId = new URL(page.url()).searchParams.get('open')
  const { csrfToken } = await (await admin.context.request.get('/api/auth/csrfToken')).json()
  const theirs = await admin.context.request.patch(`/api/project/pond/assets/${assetId}`, {
    data: { data: { altText: 'Their pond', title: 'Pond' } },
    headers: { origin, 'x-csrf-token': csrfToken },
  })
  expect(theirs.ok()).toBe(true)
  await admin.context.close()
  await details.getByLabel('Alt text').fill('My own pond')
  const conflict = details
    .getByRole('alert')
    .filter({ hasText: 'This file was changed while you were editing' })
  await expect(conflict).toContainText('山田 花 changed “Alt text” first.')
  await look(page, 'phone-conflict')
  await conflict.getByRole('button', { name: 'Use theirs' }).tap()
  await expect(details.getByLabel('Alt text')).toHaveValue('Their pond')
  await expect(details.getByLabel('Title')).toHaveValue('Pond')
  await expect(details.getByText(/^Saved/)).toBeVisible()
  await details.getByRole('button', { name: 'Crop and rotate' }).tap()
  await look(page, 'phone-crop')
  await page.getByRole('dialog', { name: 'Crop and rotate' }).getByRole('button', { name: 'Cancel' }).tap()
  await details.getByRole('button', { name: 'Close' }).first().tap()

  // One of the two files to delete belongs to another user.
  for (const name of ['mine.jpg', '案内.pdf']) await tile(page, name).locator('[data-mark]').tap()
  await page.getByRole('button', { name: 'Delete' }).tap()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).tap()
  await expect(page.getByText('1 succeeded, 1 failed.')).toBeVisible()
  await expect(
    page.getByRole('dialog', { name: 'Some files had problems' }).getByRole('listitem'),
  ).toContainText('案内.pdf')
  await look(page, 'phone-results')
  await context.close()
})

const sha = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

async function redShare(picture: Buffer): Promise<number> {
  const { data, info } = await sharp(picture).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  let red = 0
  for (let at = 0; at < data.length; at += 3)
    if ((data[at] ?? 0) > 240 && (data[at + 1] ?? 0) < 20 && (data[at + 2] ?? 0) < 20) red++
  return red / (info.width * info.height)
}

async function brightnessAt(image: Sharp, left: number, top: number): Promise<number> {
  const { data } = await image
    .clone()
    .extract({ left, top, width: 1, height: 1 })
    .raw()
    .toBuffer({ resolveWithObject: true })
  return Math.min(...data)
}
