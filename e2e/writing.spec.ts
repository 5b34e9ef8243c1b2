import type { Locator, Page, Route } from '@playwright/test'
import sharp from 'sharp'
import { expectAccessible } from './axe.ts'
import { expect, test } from './fixtures.ts'
import { beginJapanese, finishComposition, typeJapanese } from './japanese-input.ts'
import { send, signIn } from './management-api.ts'
import { photograph } from './photograph.ts'

const model = '/api/project/writing/app/blog/model'
const api = `${model}/article/doc`

/** Signs in. The first time, creates a space with an app and its model. */
test.beforeEach(async ({ page: { request }, app: { url } }) => {
  await signIn(request, url)
  if ((await request.get(model)).ok()) return
  await send(request, url, '/api/project', { project: { uid: 'writing', name: '湖' } })
  await send(request, url, '/api/project/writing/app', { data: { uid: 'blog', name: 'ブログ' } })
  const fields = [
    { uid: 'title', name: '題名', type: 'TEXT' },
    { uid: 'body', name: '本文', type: 'RICH_TEXT' },
    { uid: 'memo', name: 'メモ', type: 'MARKDOWN' },
    { uid: 'day', name: '開催日', type: 'DATE', inputType: 'date' },
    { uid: 'kind', name: '種類', type: 'SELECT', inputType: 'none', options: [{ value: '日記' }] },
    { uid: 'theme', name: 'テーマ色', type: 'COLOR', alpha: true, palette: ['#e03131', '#2f9e4480'] },
    { uid: 'mood', name: '気分', type: 'EMOJI' },
    { uid: 'place', name: '会場', type: 'MAP' },
    { uid: 'video', name: '動画', type: 'EMBED' },
  ]
  await send(request, url, model, { data: { uid: 'article', name: '記事', titleField: 'title', fields } })
})

/** Creates an article through the API and opens its editor. Returns its `_id`. */
async function openArticle(page: Page, origin: string, values: object = {}): Promise<string> {
  const { document } = await send(page.request, origin, api, { document: { title: '池', ...values } })
  await page.goto(`/writing/blog/article/${document._id}`)
  // The code of the editors is loaded when they are first shown.
  await expect(page.getByRole('textbox', { name: /^本文/ })).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'メモ' })).toBeVisible()
  return document._id
}

async function stored(page: Page, id: string) {
  return (await (await page.request.get(`${api}/${id}`)).json()).document
}

async function save(page: Page): Promise<void> {
  const answered = page.waitForResponse(
    (response) => response.request().method() === 'PUT' && response.url().includes('/doc/'),
  )
  await page.keyboard.press('ControlOrMeta+s')
  expect((await answered).ok()).toBe(true)
}

const body = (page: Page) => page.getByRole('textbox', { name: '本文', exact: true })
const html = (page: Page) => body(page).evaluate((element) => element.innerHTML)

/** A picture of one pixel, in base64. */
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** Pastes or drops data, as from another program. */
async function bring(target: Locator, kind: 'paste' | 'drop', data: { html?: string; imageFile?: string }) {
  await target.evaluate(
    (element, { kind, data }) => {
      const transfer = new DataTransfer()
      if (data.html) transfer.setData('text/html', data.html)
      if (data.imageFile) {
        const png = Uint8Array.from(atob(data.imageFile), (byte) => byte.charCodeAt(0))
        transfer.items.add(new File([png], 'a.png', { type: 'image/png' }))
      }
      const { left, top } = element.getBoundingClientRect()
      element.dispatchEvent(
        kind === 'paste'
          ? new ClipboardEvent('paste', { clipboardData: transfer, bubbles: true, cancelable: true })
          : new DragEvent('drop', {
              dataTransfer: transfer,
              bubbles: true,
              cancelable: true,
              clientX: left + 20,
              clientY: top + 20,
            }),
      )
    },
    { kind, data },
  )
}

test('the HTML view lists HTML that saving removes, and shows the stored HTML after a save', {
  tag: '@full',
}, async ({ page, app }) => {
  const id = await openArticle(page, app.url, { body: '<p>元</p>' })
  await page.getByRole('button', { name: 'HTMLを編集' }).click()
  const source = page.getByRole('textbox', { name: '本文のHTML' })
  await source.fill(
    '<div class="note">注意</div><iframe src="http://example.com"></iframe><p style="position: fixed">赤<br>字</p>',
  )
  const warning = page.getByRole('status').filter({ hasText: '保存すると、次のものは取り除かれます' })
  await expect(warning).toContainText('<iframe>（埋め込み）、<p style="position">')
  await expectAccessible(page, 'HTML view with a warning')
  await save(page)
  await expect(warning).toBeHidden()
  const { body: kept } = await stored(page, id)
  expect(kept).toBe('<div class="note">注意</div><p>赤<br />字</p>')
  await expect(source).toHaveText(kept)

  // The editor supports a box only if it contains paragraphs. Before the editor opens, a dialog shows how the HTML
  // changes. The change can be undone.
  await page.getByRole('button', { name: 'エディターで編集' }).click()
  const question = page.getByRole('dialog', { name: 'HTMLが書き換わります' })
  await expect(question.getByRole('deletion')).toHaveText('−<div class="note">注意</div>')
  await expect(question.getByRole('insertion')).toHaveText(['+<div class="note">', '+<p>注意</p>', '+</div>'])
  await expectAccessible(page, 'what becomes of HTML')
  await page.keyboard.press('Escape')
  await expect(question).toBeHidden()
  await expect(source).toHaveText(kept)
  await page.getByRole('button', { name: 'エディターで編集' }).click()
  await question.getByRole('button', { name: 'エディターで開く' }).click()
  await expect(body(page)).toBeVisible()
  await save(page)
  expect((await stored(page, id)).body).toBe('<div class="note"><p>注意</p></div><p>赤<br />字</p>')
  await page.getByRole('button', { name: '元のHTMLに戻す' }).click()
  await expect(source).toHaveText(kept)
  await save(page)
  expect((await stored(page, id)).body).toBe(kept)
})

/** Selects words within one text node of the body, as by dragging the mouse. */
async function selectWords(page: Page, words: string): Promise<void> {
  await body(page).evaluate((editor, wanted) => {
    const texts = document.createTreeWalker(editor, NodeFilter.SHOW_TEXT)
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      const start = text.textContent?.indexOf(wanted) ?? -1
      if (start >= 0) return getSelection()?.setBaseAndExtent(text, start, text, start + wanted.length)
    }
    throw new Error(`${wanted} is not there`)
  }, words)
  await expect(selectionTools(page)).toBeVisible()
}

/** The toolbar next to the selection. It appears after the editor has read the selection of the page. */
const selectionTools = (page: Page) => page.getByRole('toolbar', { name: '選択した文字の書式' })

test('footnotes, emphasis dots, ruby and links to documents are inserted and stored, and embeds are kept', async ({
  page,
  app,
}) => {
  const blocked: string[] = []
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) blocked.push(message.text())
  })
  const { document: target } = await send(page.request, app.url, api, { document: { title: '井守の下書き' } })
  const frame = '<iframe src="https://player.example/1" title="池の動画"></iframe>'
  const id = await openArticle(page, app.url, {
    body: `<p>池の井守</p><figure data-embed="https://player.example/watch/1">${frame}</figure>`,
  })
  // The frame of an embed is loaded only on request.
  await expect(body(page).getByRole('group', { name: '池の動画' })).toBeVisible()
  await body(page).getByText('池の井守').click()
  await page.keyboard.press('End')
  await page.keyboard.press('ControlOrMeta+Alt+f')
  await page.keyboard.type('両生類')
  await page.keyboard.press('Enter')
  await selectWords(page, '井守')
  await page.keyboard.press('ControlOrMeta+Alt+r')
  const reading = page.getByRole('dialog', { name: 'ルビを付ける' })
  await expect(reading.getByLabel('文字')).toHaveValue('井守')
  await reading.getByLabel('読み').fill('いもり')
  await page.keyboard.press('Enter')
  await expect(body(page).locator('ruby')).toContainText('いもり')
  await expect(body(page)).toBeFocused()
  await selectWords(page, '池')
  await page.keyboard.press('ControlOrMeta+Alt+.')
  await expect(body(page).locator('em.kenten')).toHaveText('池')
  await page.keyboard.press('ControlOrMeta+Alt+l')
  const form = page.getByRole('dialog', { name: 'リンク' })
  await form.getByRole('button', { name: 'コンテンツを選ぶ' }).click()
  await page.locator('label').filter({ hasText: '井守の下書き' }).click()
  await expect(form).toContainText('井守の下書き')
  await expectAccessible(page, 'link to a document')
  await form.getByRole('button', { name: '設定する' }).click()
  await expect(body(page)).toContainText('未公開')
  await save(page)
  const kept = (await stored(page, id)).body
  expect(kept.replace(/fn(ref)?-[0-9a-f]{8}/g, 'fn$1-x')).toBe(
    `<p><em class="kenten"><a data-document="${target._id}" data-model="article">池</a></em>の<ruby>井守<rp>（</rp><rt>いもり</rt><rp>）</rp></ruby><sup><a href="#fn-x" id="fnref-x" role="doc-noteref">1</a></sup></p><figure data-embed="https://player.example/watch/1">${frame}</figure><section role="doc-endnotes"><ol><li id="fn-x"><span>両生類</span><a href="#fnref-x" role="doc-backlink">↩</a></li></ol></section>`,
  )
  const answer = await page.request.get(`${api}/${target._id}/references`)
  expect((await answer.json()).references).toMatchObject([{ _id: id }])
  // Cutting and pasting the number of a footnote moves its note. A second paste creates another note.
  await expect(body(page)).toBeFocused()
  await page.keyboard.press('End')
  await expect(selectionTools(page)).toBeHidden()
  await page.keyboard.press('Shift+ArrowLeft')
  await expect(selectionTools(page)).toBeVisible()
  await page.keyboard.press('ControlOrMeta+x')
  await expect(body(page).getByText('両生類')).toBeHidden()
  await page.keyboard.press('ControlOrMeta+v')
  await page.keyboard.press('ControlOrMeta+v')
  await expect(body(page).locator('li')).toHaveText(['両生類↩', '両生類↩'])
  await page.keyboard.press('ControlOrMeta+z')
  await expect(body(page).locator('li')).toHaveCount(1)
  await expectAccessible(page, 'a text with everything')
  expect(blocked).toEqual([])
})

/**
 * Returns the distance in px of the caret's line from the edge of the visible area; negative if the line is covered.
 */
async function roomAtCaret(page: Page, field: string): Promise<number> {
  return page.evaluate((name) => {
    const range = getSelection()?.getRangeAt(0)
    if (!range) throw new Error('no caret')
    const box =
      range.startContainer instanceof Element ? range.startContainer : range.startContainer.parentElement
    const line = range.getClientRects()[0] ?? box?.getBoundingClientRect()
    const bar = document.getElementById(name)?.closest('[data-editor]')?.querySelector('[role=toolbar]')
    if (!line || !bar) throw new Error('no line or bar')
    return Math.min(line.top - bar.getBoundingClientRect().bottom, innerHeight - line.bottom)
  }, `field-${field}`)
}

const caretBottom = (page: Page) =>
  page.evaluate(() => getSelection()?.getRangeAt(0).getClientRects()[0]?.bottom ?? Number.NaN)

const paragraphs = Array.from({ length: 40 }, (_, line) => `${line + 1} 池の水がぬるむころ、井守は起きる。`)

for (const [device, viewport] of [
  ['desk', { width: 1280, height: 640 }],
  ['phone', { width: 390, height: 500 }],
] as const)
  test(`the toolbar of a text field does not cover the caret: ${device}`, { tag: '@full' }, async ({
    page,
    app,
  }) => {
    await page.setViewportSize(viewport)
    await openArticle(page, app.url, {
      body: paragraphs.map((text) => `<p>${text}</p>`).join(''),
      memo: paragraphs.join('\n\n'),
    })
    for (const field of ['body', 'memo']) {
      const text = page.locator(`#field-${field}`)
      await text.focus()
      await page.keyboard.press('ControlOrMeta+End')
      await expect.poll(() => roomAtCaret(page, field)).toBeGreaterThanOrEqual(0)
      for (let step = 0; step < 24; step++) {
        await page.keyboard.press('ArrowUp')
        if (step % 4 === 3) await expect.poll(() => roomAtCaret(page, field)).toBeGreaterThanOrEqual(0)
      }
      await page.keyboard.press('ControlOrMeta+Home')
      await expect.poll(() => roomAtCaret(page, field)).toBeGreaterThanOrEqual(0)
      await page.keyboard.press('ControlOrMeta+End')
      await expect.poll(() => roomAtCaret(page, field)).toBeGreaterThanOrEqual(0)
      await page.keyboard.press('ControlOrMeta+a')
      await page.keyboard.press('Delete')
      await page.keyboard.type('a')
      await expect.poll(() => roomAtCaret(page, field)).toBeGreaterThanOrEqual(0)
    }
  })

for (const [device, viewport] of [
  ['desk', { width: 1280, height: 640 }],
  ['phone', { width: 390, height: 844 }],
] as const)
  test(`the start of a line typed after a pasted picture is not covered: ${device}`, {
    tag: '@full',
  }, async ({ page, app }) => {
    await page.setViewportSize(viewport)
    await openArticle(page, app.url, {
      body: paragraphs
        .slice(0, 8)
        .map((text) => `<p>${text}</p>`)
        .join(''),
      memo: paragraphs.slice(0, 20).join('\n\n'),
    })
    for (const field of ['body', 'memo']) {
      const text = page.locator(`#field-${field}`)
      await text.focus()
      await page.keyboard.press('ControlOrMeta+End')
      await bring(text, 'paste', { imageFile: pixel })
      await expect(field === 'body' ? text.locator('img') : text.getByText('![](')).toBeVisible()
      for (let line = 0; line < 6; line++) {
        await page.keyboard.type('after')
        await expect.poll(() => isLineSeen(page, field), `${field}, line ${line}`).toBe(true)
        await page.keyboard.press('Enter')
      }
      if (field === 'memo') continue
      // When the page is scrolled so that the line is just above the panel of uploads, nothing covers the line.
      await page.keyboard.type('last')
      await page.evaluate(
        (bottom) => {
          const panel = document.documentElement.style.getPropertyValue('--imori-below-toasts')
          scrollBy(0, bottom - (innerHeight - Number.parseFloat(panel || '0') - 30))
        },
        await caretBottom(page),
      )
      expect(await isLineSeen(page, field)).toBe(true)
    }
  })

/** Returns whether a point in the caret's line shows the field, not an element that covers it. */
const isLineSeen = (page: Page, field: string) =>
  page.evaluate((name) => {
    const node = getSelection()?.focusNode
    const line = (node instanceof Element ? node : node?.parentElement)?.closest('p, .cm-line')
    const { left = 0, bottom = 0 } = line?.getBoundingClientRect() ?? {}
    const seen = document.elementFromPoint(left + 4, bottom - 8)
    return seen?.closest(`#field-${name}`) != null
  }, field)

test('on a phone, the format bar stays completely visible at the top when the text is scrolled', {
  tag: '@full',
}, async ({ page, app }) => {
  await page.setViewportSize({ width: 390, height: 500 })
  await openArticle(page, app.url, { body: paragraphs.map((text) => `<p>${text}</p>`).join('') })
  const bar = page.getByRole('toolbar', { name: '書式' }).first()
  await page.locator('#field-body p').nth(20).scrollIntoViewIfNeeded()
  await page.locator('#field-body p').nth(20).click()
  const isWhole = () =>
    bar.evaluate((element) => {
      const { left, right, top, bottom } = element.getBoundingClientRect()
      return [top + 1, bottom - 1].every((y) =>
        [left + 20, right - 20].every((x) => element.contains(document.elementFromPoint(x, y))),
      )
    })
  await expect.poll(isWhole).toBe(true)
  await expect.poll(async () => (await bar.boundingBox())?.y).toBeLessThan(90)
})

test('Markdown format marks are converted in inserted text, in Japanese text and with an input method', async ({
  page,
  app,
}) => {
  const id = await openArticle(page, app.url)
  await body(page).click()
  for (const text of [
    '**定型文**',
    '`x`',
    '~~消す~~',
    '後に **二つ** と *三つ*です',
    '![絵](https://example.com/a.png)',
  ]) {
    await page.keyboard.insertText(text)
    await page.keyboard.press('Enter')
  }
  await page.keyboard.type('これは**大事**です2*3*4')
  await page.keyboard.press('Enter')
  await page.keyboard.type('**')
  await typeJapanese(page, 'じゅうよう', '重要')
  await page.keyboard.type('**')
  await page.keyboard.press('Enter')
  // Only the first part of this mark is typed. The rest is inserted.
  await page.keyboard.type('前 *')
  await page.keyboard.insertText('斜め*')
  expect(await html(page)).toBe(
    '<p><strong>定型文</strong></p><p><code>x</code></p><p><s>消す</s></p><p>後に <strong>二つ</strong> と <em>三つ</em>です</p><p>![絵](https://example.com/a.png)</p>' +
      '<p>これは<strong>大事</strong>です2*3*4</p><p><strong>重要</strong></p><p>前 <em>斜め</em></p>',
  )
  // One undo step restores the marks as typed.
  await page.keyboard.press('ControlOrMeta+z')
  expect(await html(page)).toContain('<p>前 *斜め*</p>')
  await save(page)
  expect((await stored(page, id)).body).toContain('<p>これは<strong>大事</strong>です2*3*4</p>')
})

test('a paste, a copy and a shortcut use the current selection even before `selectionchange`', async ({
  page,
  app,
}) => {
  await openArticle(page, app.url, { body: '<p>前</p><p>甲</p>' })
  await body(page).getByText('甲').click()
  /** Selects the first paragraph and dispatches the event in one task, before `selectionchange`. */
  const act = (kind: 'paste' | 'copy' | 'keydown') =>
    body(page).evaluate((element, kind) => {
      const [paragraph] = element.querySelectorAll('p')
      if (paragraph) getSelection()?.selectAllChildren(paragraph)
      const clipboardData = new DataTransfer()
      if (kind === 'paste') clipboardData.setData('text/plain', '池')
      const options = { bubbles: true, cancelable: true }
      const event =
        kind === 'keydown'
          ? new KeyboardEvent('keydown', { ...options, key: 'b', keyCode: 66, ctrlKey: true })
          : new ClipboardEvent(kind, { ...options, clipboardData })
      element.dispatchEvent(event)
      return clipboardData.getData('text/plain')
    }, kind)
  expect(await act('copy')).toBe('前')
  await body(page).getByText('甲').click()
  await act('keydown')
  expect(await html(page)).toBe('<p><strong>前</strong></p><p>甲</p>')
  await body(page).getByText('甲').click()
  await act('paste')
  expect(await html(page)).toMatch(/^<p>(<strong>)?池(<\/strong>)?<\/p><p>甲<\/p>$/)
})

test('text from an input method replaces selected words once, in plain text, links and formatted text', {
  tag: '@full',
}, async ({ page, app }) => {
  await openArticle(page, app.url, { body: '<p>前</p>' })
  const select = (start: number, length: number) =>
    expect(async () => {
      await body(page).focus()
      await page.keyboard.press('ControlOrMeta+Home')
      for (let step = 0; step < start; step++) await page.keyboard.press('ArrowRight')
      for (let step = 0; step < length; step++) await page.keyboard.press('Shift+ArrowRight')
      const selected = await page.evaluate(() => getSelection()?.toString().replace(/\n+/g, '\n'))
      expect(selected).toHaveLength(length)
    }).toPass()
  const reset = async (text: string) => {
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.press('Delete')
    await body(page).evaluate((element, text) => {
      const transfer = new DataTransfer()
      transfer.setData('text/html', text)
      element.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData: transfer, bubbles: true, cancelable: true }),
      )
    }, text)
  }
  const a = (text: string) => `<a href="/a">${text}</a>`
  for (const [round, text, [start, length], expected] of [
    ['all of a link', `<p>池の${a('井守')}です</p>`, [2, 2], `<p>池の${a('川辺')}です</p>`],
    ['all of a paragraph', `<p>${a('井守')}</p>`, [0, 2], `<p>${a('川辺')}</p>`],
    ['the start of a paragraph', `<p>${a('井守')}です</p>`, [0, 2], `<p>${a('川辺')}です</p>`],
    ['the end of a paragraph', `<p>池の${a('井守')}</p>`, [2, 2], `<p>池の${a('川辺')}</p>`],
    ['the start of a link', `<p>池の${a('井守')}です</p>`, [2, 1], `<p>池の${a('川辺守')}です</p>`],
    ['the middle of a link', `<p>池の${a('赤井守')}です</p>`, [3, 1], `<p>池の${a('赤川辺守')}です</p>`],
    ['the end of a link', `<p>池の${a('井守')}です</p>`, [3, 1], `<p>池の${a('井川辺')}です</p>`],
    ['a link and more', `<p>池の${a('井守')}です</p>`, [2, 3], '<p>池の川辺す</p>'],
    ['the end of a link and more', `<p>池の${a('井守')}です</p>`, [3, 2], `<p>池の${a('井')}川辺す</p>`],
    ['words before a link', `<p>池の${a('井守')}です</p>`, [0, 2], `<p>川辺${a('井守')}です</p>`],
    ['words and a part of a link', `<p>池の${a('井守')}です</p>`, [1, 2], `<p>池川辺${a('守')}です</p>`],
    ['words after a link', `<p>池の${a('井守')}です</p>`, [4, 2], `<p>池の${a('井守')}川辺</p>`],
    ['two links', `<p>${a('井')}<a href="/b">守</a>です</p>`, [0, 2], '<p>川辺です</p>'],
    ['a bold link', `<p>池の<strong>${a('井守')}</strong>です</p>`, [2, 2], 'bold link'],
    [
      'bold words after a link',
      `<p>${a('池')}<strong>井守</strong>です</p>`,
      [1, 2],
      `<p>${a('池')}<strong>川辺</strong>です</p>`,
    ],
    ['bold words', '<p>池の<strong>井守</strong>です</p>', [2, 2], '<p>池の<strong>川辺</strong>です</p>'],
    ['dots', '<p>池の<em class="dots">井守</em>です</p>', [2, 2], 'dots'],
    ['code', '<p>池の<code>井守</code>です</p>', [2, 2], '<p>池の<code>川辺</code>です</p>'],
    [
      'a link to a document',
      '<p>池の<a data-document="5e8c5c5c5c5c5c5c5c5c5c5c">井守</a>です</p>',
      [2, 2],
      'document link',
    ],
    ['two paragraphs', `<p>池の${a('井守')}</p><p>です</p>`, [3, 3], `<p>池の${a('井')}川辺す</p>`],
  ] as const) {
    await body(page).focus()
    await reset(text)
    await select(start, length)
    await typeJapanese(page, 'かわべ', '川辺')
    await finishComposition(body(page))
    const result = await body(page).evaluate((element) => {
      const copy = element.cloneNode(true) as HTMLElement
      for (const part of copy.querySelectorAll('.ProseMirror-trailingBreak, .ProseMirror-separator, small'))
        part.remove()
      return { html: copy.innerHTML, text: copy.textContent }
    })
    if (expected.startsWith('<')) expect.soft(result.html, round).toBe(expected)
    else {
      expect.soft(result.text, round).toBe('池の川辺です')
      expect.soft(result.html, round).toMatch(/^<p>池の<.*>川辺<.*>です<\/p>$/)
    }
  }

  // A URL pasted over words links them and leaves them selected.
  await reset('<p>池の井守です</p>')
  await select(2, 2)
  await body(page).evaluate((element) => {
    const transfer = new DataTransfer()
    transfer.setData('text/plain', 'https://example.com/a')
    element.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData: transfer, bubbles: true, cancelable: true }),
    )
  })
  await typeJapanese(page, 'かわべ', '川辺')
  await finishComposition(body(page))
  const linked = (text: string) => `<p>池の<a href="https://example.com/a">${text}</a>です</p>`
  expect(await html(page)).toBe(linked('川辺'))
  await page.keyboard.press('ControlOrMeta+z')
  expect(await html(page)).toBe(linked('井守'))

  await select(2, 2)
  await page.keyboard.type('ab')
  expect(await html(page)).toBe(linked('ab'))
})

test('the toolbar of a selection in the first line does not cover the format bar', {
  tag: '@full',
}, async ({ page, app }) => {
  await openArticle(page, app.url, { body: '<p>池の井守です</p><p>川辺</p>' })
  await body(page)
    .locator('p')
    .first()
    .click({ position: { x: 10, y: 10 } })
  await page.keyboard.press('Home')
  await page.keyboard.press('Shift+ArrowRight')
  const tools = selectionTools(page)
  await expect(tools).toBeVisible()
  await photograph(page, 'selection-tools-in-the-first-line')
  // Floating elements are positioned slightly after they appear.
  await expect(async () => {
    const [place, bar, text, line] = await Promise.all(
      [
        tools,
        page.getByRole('toolbar', { name: '書式' }).first(),
        body(page),
        body(page).locator('p').first(),
      ].map((one) => one.boundingBox()),
    )
    expect(place?.y).toBeGreaterThanOrEqual((bar?.y ?? 0) + (bar?.height ?? 0))
    expect(place?.x).toBeGreaterThanOrEqual(text?.x ?? 0)
    expect(place?.y).toBeGreaterThanOrEqual((line?.y ?? 0) + (line?.height ?? 0) - 6)
  }).toPass()
})

test('twelve words typed with an input method are stored completely in a body of 300 paragraphs', {
  tag: '@full',
}, async ({ page, app }) => {
  const lines = Array.from({ length: 300 }, (_, line) => `<p>${line}池の<strong>水</strong>がぬるむ。</p>`)
  const id = await openArticle(page, app.url, { body: lines.join('') })
  await body(page).locator('p').nth(150).click()
  await page.keyboard.press('End')
  let written = ''
  for (let word = 0; word < 12; word++) {
    await typeJapanese(page, 'いけのいもり', `池の井守${word}、`)
    written += `池の井守${word}、`
  }
  await expect(body(page).locator('p').nth(150)).toHaveText(`150池の水がぬるむ。${written}`)
  await save(page)
  lines[150] = `<p>150池の<strong>水</strong>がぬるむ。${written}</p>`
  expect((await stored(page, id)).body).toBe(lines.join(''))
})

test('pasted text keeps its formats, a message names omitted content, and picture files are uploaded', {
  tag: '@full',
}, async ({ page, app }) => {
  const id = await openArticle(page, app.url)
  await body(page).click()
  await bring(body(page), 'paste', {
    html:
      '<b style="font-weight:normal" id="docs-internal-guid-1"><p><span style="text-decoration:underline">下線</span><span style="text-decoration:line-through">消す</span>m<sup>2</sup><ruby>漢<rt>かん</rt></ruby></p><br><p>次</p></b>' +
      '<embed src="https://example.com/player"><img src="file:///a.png">',
  })
  await expect(page.getByRole('status').filter({ hasText: '貼り付けられなかったもの' })).toContainText(
    '画像1点、埋め込み（https://example.com/player）',
  )
  // The message does not cover the caret.
  const foot = page.getByRole('status').filter({ hasText: '貼り付けられなかったもの' })
  await page.setViewportSize({ width: 390, height: 500 })
  await page.keyboard.type('あ')
  await expect
    .poll(async () => ((await foot.boundingBox())?.y ?? 0) - (await caretBottom(page)))
    .toBeGreaterThanOrEqual(0)
  await page.keyboard.press('Backspace')
  await save(page)
  expect((await stored(page, id)).body).toBe(
    '<p><u>下線</u><s>消す</s>m<sup>2</sup><ruby>漢<rt>かん</rt></ruby></p><p></p><p>次</p><p><a href="https://example.com/player">https://example.com/player</a></p>',
  )
  // Pasted and dropped picture files are uploaded into the library. A button next to the picture opens the input for
  // the alternative text.
  await page.setViewportSize({ width: 1280, height: 900 })
  for (const [index, kind] of (['paste', 'drop'] as const).entries()) {
    await bring(body(page), kind, { imageFile: pixel })
    await expect(body(page).locator('img')).toHaveCount(index + 1)
    await page.getByRole('button', { name: '代替テキストなし' }).click()
    const dialog = page.getByRole('dialog', { name: '画像を編集' })
    await expect(dialog.getByLabel('代替テキスト')).toBeFocused()
    await page.keyboard.type(`点${index}`)
    await page.keyboard.press('Enter')
    await expect(dialog).toBeHidden()
  }
  const memo = page.getByRole('textbox', { name: 'メモ' })
  await bring(memo, 'paste', { imageFile: pixel })
  await expect(memo).toContainText(/!\[\]\(http\S+\/v1\/[0-9a-f]{24}\/a\.png\)/)
  await save(page)
  const kept = await stored(page, id)
  const ids = [...`${kept.body} ${kept.memo}`.matchAll(/\.assets\/v1\/([0-9a-f]{24})\//g)].map(
    ([, one]) => one,
  )
  expect(new Set(ids).size).toBe(3)
  for (const alt of ['点0', '点1']) expect(kept.body).toContain(`alt="${alt}"`)
  for (const asset of ids) {
    const answer = await page.request.get(`/api/project/writing/asset/${asset}/references`)
    expect((await answer.json()).references).toMatchObject([{ _id: id }])
  }
})

test('a picture that does not load can be edited, and an http address is refused', {
  tag: '@full',
}, async ({ page, app }) => {
  const id = await openArticle(page, app.url, { body: '<p>前</p><img src="https://example.com/a.png">' })
  const broken = body(page).getByText('画像を表示できません')
  await broken.click()
  await page.getByRole('button', { name: '画像を編集' }).click()
  const dialog = page.getByRole('dialog', { name: '画像を編集' })
  await expect(dialog.getByLabel('画像のURL')).toHaveValue('https://example.com/a.png')
  await dialog.getByLabel('画像のURL').fill('http://example.com/b.png')
  await dialog.getByLabel('代替テキスト').focus()
  await typeJapanese(page, 'いけ', '池の写真')
  await expect(dialog).toBeVisible()
  await dialog.getByRole('button', { name: '変更する' }).click()
  await expect(dialog).toContainText('「https://」で始まるURLを入力してください')
  await dialog.getByLabel('画像のURL').fill('https://example.com/b.png')
  await dialog.getByRole('button', { name: '変更する' }).click()
  await expect(broken).toHaveText('画像を表示できません：池の写真（https://example.com/b.png）')
  await save(page)
  expect((await stored(page, id)).body).toBe(
    '<p>前</p><img src="https://example.com/b.png" alt="池の写真" />',
  )
})

test('the format bar fits in one line at six widths from 320 to 1440 px', { tag: '@full' }, async ({
  page,
  app,
}) => {
  await openArticle(page, app.url, {
    body: '<table><tbody><tr><td><p>表</p></td></tr></tbody></table>',
  })
  await body(page).getByText('表').click()
  const bar = page.getByRole('toolbar', { name: '書式' }).first()
  for (const width of [1440, 1280, 1024, 757, 390, 320]) {
    await page.setViewportSize({ width, height: 800 })
    const sizes = () =>
      bar.evaluate((element) => ({
        free:
          element.getBoundingClientRect().right -
          (element.lastElementChild?.getBoundingClientRect().right ?? 0),
        scrolls: element.scrollWidth > element.clientWidth,
        height: element.clientHeight,
      }))
    await expect.poll(async () => (await sizes()).free, { message: `${width}px` }).toBeGreaterThanOrEqual(0)
    expect(await sizes(), `${width}px`).toMatchObject({ scrolls: false, height: 38 })
    await expect(bar.getByRole('button', { name: '表の操作' })).toBeVisible()
  }
  // Tools that do not fit are in the menu, which also works by keyboard.
  await bar.getByRole('button', { name: 'その他の書式' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('menuitem', { disabled: false }).first()).toBeFocused()
  await expectAccessible(page, 'menu of the format bar')
  await page.getByRole('menuitem', { name: '中央揃え' }).click()
  await expect(body(page).locator('td p')).toHaveCSS('text-align', 'center')
  await bar.getByRole('button', { name: '表の操作' }).click()
  await page.getByRole('menuitem', { name: '下に行を追加' }).click()
  await expect(body(page).locator('tr')).toHaveCount(2)
})

test('the preview of Markdown renders `<b>` and removes the tag `<font>`', { tag: '@full' }, async ({
  page,
  app,
}) => {
  await openArticle(page, app.url, { memo: '**太い** <b>これも</b> <font>字</font>' })
  await page.getByText('プレビュー', { exact: true }).click()
  const preview = page.getByRole('region', { name: 'メモのプレビュー' })
  await expect(preview.locator('b')).toHaveText('これも')
  expect(await preview.innerHTML()).toBe('<p><strong>太い</strong> <b>これも</b> 字</p>\n')
})

test('a date field accepts dates of the Japanese calendar, and keeps unreadable input with an error', {
  tag: '@full',
}, async ({ page, app }) => {
  const id = await openArticle(page, app.url)
  const day = page.getByLabel('開催日', { exact: true })
  await day.focus()
  await typeJapanese(page, 'れいわはちねんしがつついたち', '令和8年4月1日')
  await page.keyboard.press('Tab')
  await expect(day).toHaveValue('2026年4月1日(水)')
  await save(page)
  expect((await stored(page, id)).day).toBe('2026-04-01T00:00:00.000Z')

  await day.fill('来月の一日')
  await page.keyboard.press('Tab')
  await expect(day).toHaveValue('来月の一日')
  await expect(page.getByText('日付として読み取れません')).toBeVisible()
  await page.keyboard.press('ControlOrMeta+s')
  // A refused save moves the focus to the error.
  await expect(page.getByRole('alert').filter({ hasText: '日付として読み取れません' })).toBeFocused()
  await expect(day).toHaveValue('来月の一日')
  expect((await stored(page, id)).day).toBe('2026-04-01T00:00:00.000Z')

  await day.fill('令和8年4月4日')
  await page.getByRole('button', { name: 'カレンダーを開く' }).click()
  const calendar = page.getByRole('dialog', { name: '開催日のカレンダー' })
  const colour = (name: string) =>
    calendar.getByRole('button', { name }).evaluate((element) => getComputedStyle(element).color)
  expect(await colour('11 4月 2026')).not.toBe(await colour('12 4月 2026'))
  await expectAccessible(page, 'calendar')
  // The calendar keeps the focus if the page scrolls and the date field is out of view.
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight))
  await expect(day).not.toBeInViewport()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await expect(calendar).toBeHidden()
  await expect(day).toHaveValue('2026年4月5日(日)')
  await expect(page.getByRole('button', { name: 'カレンダーを開く' })).toBeFocused()
})

test('the slash menu and an open select pass axe', { tag: '@full' }, async ({ page, app }) => {
  await openArticle(page, app.url)
  await body(page).click()
  await page.keyboard.type('/')
  const menu = page.getByRole('listbox', { name: '挿入' })
  await expect(menu).toBeVisible()
  await expect(menu.getByRole('option').filter({ hasNot: page.locator('svg') })).toHaveCount(0)
  // The menu is below the line with the slash.
  const line = (await body(page).locator('p').first().boundingBox())?.y ?? Number.NaN
  await expect.poll(async () => (await menu.boundingBox())?.y).toBeGreaterThan(line)
  await expectAccessible(page, 'slash menu')
  await photograph(page, 'slash-menu')
  await typeJapanese(page, 'るび', 'ルビ')
  await expect(menu.getByRole('option')).toHaveText(['ルビ'])
  for (let character = 0; character < 2; character++) await page.keyboard.press('Backspace')
  await expect(menu.getByRole('option', { name: '圏点' })).toBeAttached()
  await page.keyboard.press('Escape')
  await page.getByLabel('種類').click()
  await expect(page.getByRole('option', { name: '日記' })).toBeVisible()
  await expectAccessible(page, 'open select')
  for (const role of ['listbox'] as const)
    expect(await page.getByRole(role).evaluate((element) => element.closest('main') !== null)).toBe(true)
})

test('a color can be typed or chosen, and an invalid color gets an error', {
  tag: '@full',
}, async ({ page, app }) => {
  const id = await openArticle(page, app.url)
  const color = page.getByRole('textbox', { name: 'テーマ色' })
  await color.focus()
  await typeJapanese(page, '＃ｆ', '＃ｆｆ８８００')
  await expect(color).toHaveValue('＃ｆｆ８８００')
  await page.keyboard.press('Tab')
  await expect(color).toHaveValue('#ff8800')
  await save(page)
  expect((await stored(page, id)).theme).toBe('#ff8800')

  await color.fill('みどり')
  await page.keyboard.press('Tab')
  await expect(color).toHaveValue('みどり')
  await expect(page.getByText('色として読み取れません')).toBeVisible()
  await expectAccessible(page, 'a color that is none')

  await color.click()
  await expectAccessible(page, 'color picker')
  await page.getByRole('button', { name: '#2f9e4480' }).click()
  await expect(color).toHaveValue('#2f9e4480')
  await save(page)
  expect((await stored(page, id)).theme).toBe('#2f9e4480')

  await page.evaluate(() => localStorage.setItem('imori-columns/writing/blog/article', '["theme"]'))
  await page.goto('/writing/blog/article')
  await expect(page.getByText('#2f9e4480')).toBeVisible()
})

test('the settings of a color field report an invalid color in the palette', { tag: '@full' }, async ({
  page,
}) => {
  await page.goto('/writing/blog/article/model')
  await page.getByRole('button', { name: 'テーマ色 theme カラー' }).click()
  const palette = page.getByRole('textbox', { name: 'パレット' })
  await expect(palette).toHaveValue('#e03131\n#2f9e4480')
  await palette.fill('#F80\nあか')
  await page.keyboard.press('Tab')
  await expect(palette).toHaveValue('#ff8800\nあか')
  await expect(page.getByText('色として読み取れません')).toBeVisible()
  await expectAccessible(page, 'settings of a color')
})

test('an emoji can be typed or found by a Japanese word, and the letter あ is refused', {
  tag: '@full',
}, async ({ page, app }) => {
  const id = await openArticle(page, app.url)
  const mood = page.getByRole('textbox', { name: '気分' })
  await mood.fill('あ')
  await page.keyboard.press('Tab')
  await expect(page.getByText('絵文字を1つ入力してください')).toBeVisible()
  await mood.fill('🎾')
  await expect(page.getByText('絵文字を1つ入力してください')).toBeHidden()

  await page.getByRole('button', { name: '絵文字を選ぶ' }).click()
  const picker = page.getByRole('dialog', { name: '絵文字を選ぶ' })
  const search = picker.getByRole('searchbox', { name: '絵文字を検索' })
  await expect(picker.getByRole('gridcell').first()).toBeVisible()
  await expectAccessible(page, 'emoji picker')
  await search.focus()
  await typeJapanese(page, 'さくら', '桜')
  await expect(picker.getByRole('gridcell')).toHaveText([/🌸|💮/])
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(picker).toBeHidden()
  await expect(mood).not.toHaveValue('🎾')
  await save(page)
  expect((await stored(page, id)).mood).toBe(await mood.inputValue())
})

test('a place can be entered as a map URL, and chosen on the map by keyboard', async ({ page, app }) => {
  // Map tiles are unavailable, so the outline of the land and a message are shown.
  const id = await openArticle(page, app.url)
  const place = page.getByRole('group', { name: '会場' })
  const [lat, lng] = [
    place.getByRole('textbox', { name: '緯度' }),
    place.getByRole('textbox', { name: '経度' }),
  ]
  await lat.fill('35')
  await page.keyboard.press('Tab')
  await expect(page.getByText('緯度と経度を数字で入力してください')).toBeVisible()
  await lat.fill('https://www.google.com/maps/@35.681236,139.767125,17z')
  await expect(lat).toHaveValue('35.681236')
  await expect(lng).toHaveValue('139.767125')
  await expect(place.getByText('海岸線だけの略地図')).toBeVisible()
  await expectAccessible(page, 'a place')
  await save(page)
  expect((await stored(page, id)).place).toEqual({ lat: 35.681236, lng: 139.767125 })

  const map = place.getByRole('application', { name: /^会場の地図/ })
  await map.focus()
  await page.keyboard.press('ArrowRight')
  // The map moves to the new position with an animation, so Enter is repeated.
  await expect(async () => {
    await page.keyboard.press('Enter')
    expect(await lng.inputValue()).not.toBe('139.767125')
  }).toPass()
  await save(page)
  const chosen = (await stored(page, id)).place
  expect(chosen.lat).toBeCloseTo(35.681236, 0)
  expect(chosen.lng).toBeGreaterThan(139.767125)
  expect([await lat.inputValue(), await lng.inputValue()]).toEqual([String(chosen.lat), String(chosen.lng)])
})

test('embed code of another service is stored, and its preview is in a separate frame', {
  tag: '@full',
}, async ({ page, app }) => {
  await page.route('https://player.example/**', (route) =>
    route.fulfill({ contentType: 'text/html; charset=utf-8', body: '<p>再生中</p>' }),
  )
  const id = await openArticle(page, app.url)
  const video = page.getByRole('textbox', { name: '動画' })
  await video.fill('http://127.0.0.1:1/')
  await page.keyboard.press('Enter')
  await expect(page.getByText('埋め込みに対応していないURL')).toBeVisible()
  await video.fill('<iframe src="https://player.example/1" title="池の動画" onload="alert(1)"></iframe>')
  const card = page.getByRole('group', { name: '動画' })
  await expect(card).toContainText('池の動画')
  await expectAccessible(page, 'embedded code')
  await save(page)
  expect((await stored(page, id)).video).toBe(
    '<iframe src="https://player.example/1" title="池の動画"></iframe>',
  )
  await card.getByRole('button', { name: 'プレビューを表示' }).click()
  const preview = page.frameLocator('iframe[title="動画のプレビュー"]')
  await expect(preview.frameLocator('iframe').getByText('再生中')).toBeVisible()
  await card.getByRole('button', { name: '外す' }).click()
  await expect(video).toBeFocused()
  await save(page)
  expect((await stored(page, id)).video).toBeUndefined()

  // A typed URL is embedded when the document is saved, even if its service is not reachable.
  await video.fill('https://www.youtube.com/watch?v=dQw4w9WgXcQ')
  await save(page)
  await expect(card).toBeVisible()
  expect((await stored(page, id)).video).toContain('https://www.youtube.com/embed/dQw4w9WgXcQ')
  await card.getByRole('button', { name: '外す' }).click()
  await save(page)
  // A URL that cannot be embedded is kept, and the save reports it.
  await video.fill('http://127.0.0.1:2/')
  await page.keyboard.press('ControlOrMeta+s')
  await expect(page.getByText('埋め込みに対応していないURL')).toBeVisible()
  await expect(page.getByRole('alert').filter({ hasText: '「埋め込む」を押すか' })).toBeVisible()
  await expect(video).toHaveValue('http://127.0.0.1:2/')
})

test('Enter confirms the dialog for embeds, except with Shift or while an input method is composing', {
  tag: '@full',
}, async ({ page, app }) => {
  await openArticle(page, app.url)
  await body(page).focus()
  await choose(page, '埋め込み（動画・投稿など）')
  const form = page.getByRole('dialog')
  const box = form.getByRole('textbox')
  await expect(box).toBeFocused()
  await typeJapanese(page, 'いけ', '池')
  await expect(box).toHaveValue('池')
  await box.fill('<iframe src="https://player.example/1"')
  await page.keyboard.press('Shift+Enter')
  await page.keyboard.type('title="池"></iframe>')
  await expect(box).toHaveValue('<iframe src="https://player.example/1"\ntitle="池"></iframe>')
  await expect(box).not.toHaveAttribute('aria-invalid', 'true')
  await page.keyboard.press('Enter')
  await expect(form).toBeHidden()
  await expect.poll(() => blocks(page)).toContain('DIV')
})

test('publishing asks for confirmation if pictures in texts are in the trash, and names field and file', {
  tag: '@full',
}, async ({ page, app }) => {
  const id = await openArticle(page, app.url, { title: '欠けた絵 一' })
  await body(page).focus()
  await bring(body(page), 'paste', { imageFile: pixel })
  await expect(body(page).locator('img[src*=".assets"]')).toBeVisible()
  await save(page)
  const { body: text } = await stored(page, id)
  const [asset] = /[0-9a-f]{24}/.exec(text) ?? []
  const publish = () => page.getByRole('button', { name: '公開する' }).click()
  await send(page.request, app.url, '/api/project/writing/assets/bulkDelete', { assetIds: [asset] })
  await publish()
  const ask = page.getByRole('dialog', { name: '見つからないファイルがあります' })
  await expect(ask.getByRole('listitem')).toHaveText([
    '本文：ファイル「a.png」が見つかりません。ゴミ箱に移されたか、削除されています',
  ])
  await photograph(page, 'missing-picture')
  await ask.getByRole('button', { name: 'キャンセル' }).click()
  expect((await stored(page, id))._sys.status).toBe('draft')

  // The list asks once for all selected documents, and offers to publish only the documents without missing files.
  const { document: other } = await send(page.request, app.url, api, { document: { title: '欠けた絵 二' } })
  await page.goto('/writing/blog/article')
  for (const title of ['欠けた絵 一', '欠けた絵 二'])
    await page.getByRole('checkbox', { name: `「${title}」を選択` }).click({ force: true })
  const bulk = page.getByRole('region', { name: '選択したコンテンツの操作' })
  await bulk.getByRole('button', { name: '公開する' }).click()
  const askAll = page.getByRole('dialog', { name: '2件を公開しますか？' })
  await expect(askAll.getByRole('listitem')).toHaveText(['欠けた絵 一（本文）'])
  await photograph(page, 'missing-pictures-of-many')
  await askAll.getByRole('button', { name: 'ほかの1件だけ公開する' }).click()
  await expect(page.getByText('1件を公開しました')).toBeVisible()
  await expect(bulk).toContainText('1件を選択中')
  expect((await stored(page, id))._sys.status).toBe('draft')
  expect((await stored(page, other._id))._sys.status).toBe('published')

  // A deleted picture is replaced at its position. Undo shows the missing picture again. `route` disables the browser's
  // cache, which still contains the picture.
  await page.route('**/writing.assets/**', (route) => route.continue())
  await page.goto(`/writing/blog/article/${id}`)
  await body(page).getByRole('button', { name: '別の画像に差し替える' }).click()
  const picker = page.getByRole('dialog', { name: '画像を選択' })
  const buffer = await sharp({ create: { width: 30, height: 20, channels: 3, background: '#2f9e44' } })
    .png()
    .toBuffer()
  await picker.locator('input[type=file]').setInputFiles({ name: 'b.png', mimeType: 'image/png', buffer })
  await picker.getByRole('button', { name: '選択する' }).click()
  const picture = body(page).locator('img[src*=".assets"]')
  await expect(picture).toBeVisible()
  await expect(picture).toHaveAttribute('src', /b\.png$/)
  await page.keyboard.press('ControlOrMeta+z')
  await expect(body(page).getByRole('button', { name: '別の画像に差し替える' })).toBeVisible()
  await send(page.request, app.url, '/api/project/writing/assets/bulkRestore', { assetIds: [asset] })
  await publish()
  await expect(page.getByText('公開しました')).toBeVisible()
})

/**
 * Returns the text of each block of the body. For a line, a picture, an embed or a table, returns its tag name instead.
 */
const blocks = (page: Page) =>
  body(page).evaluate((editor) =>
    [...editor.children].map((block) => {
      const thing = block.querySelector('img, [role=group], table')
      return block.matches('hr') ? 'HR' : thing ? thing.tagName : (block.textContent ?? '')
    }),
  )

const written = async (page: Page) =>
  (await blocks(page)).map((text) => text.trim()).filter((text) => text !== '')

/** Empties the body and writes 前, and `next` in a paragraph below it. The caret is after 前. */
async function beginWith(page: Page, next: string): Promise<void> {
  await body(page).focus()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.press('Delete')
  await page.keyboard.type('前')
  if (next) {
    await page.keyboard.press('Enter')
    await page.keyboard.type(next)
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('End')
  }
  await expect.poll(() => written(page)).toEqual(next ? ['前', next] : ['前'])
}

async function choose(page: Page, item: string): Promise<void> {
  await page.keyboard.type(' /')
  const menu = page.getByRole('listbox', { name: '挿入' })
  await expect(menu).toBeVisible()
  await menu.getByRole('option', { name: item, exact: true }).click()
}

test('typing continues after inserted content, and undo removes only the inserted content', {
  tag: '@full',
}, async ({ page, app }) => {
  await openArticle(page, app.url, { title: '挿入' })
  const address = page.getByRole('dialog', { name: '画像を挿入' })
  const ways: Record<string, { thing: string; dropped?: true; insert: () => Promise<void> }> = {
    'a pasted file': { thing: 'IMG', insert: () => bring(body(page), 'paste', { imageFile: pixel }) },
    'a dropped file': {
      thing: 'IMG',
      dropped: true,
      insert: () => bring(body(page), 'drop', { imageFile: pixel }),
    },
    'a picture copied from a page': {
      thing: 'IMG',
      insert: () => bring(body(page), 'paste', { html: `<img src="data:image/png;base64,${pixel}">` }),
    },
    'a picture of the library': {
      thing: 'IMG',
      insert: async () => {
        await choose(page, '画像（メディアから）')
        const picker = page.getByRole('dialog', { name: '画像を選択' })
        await picker.getByRole('gridcell').first().click()
        await picker.getByRole('button', { name: '選択する' }).click()
      },
    },
    'a picture by its address': {
      thing: 'IMG',
      insert: async () => {
        await choose(page, '画像（URLを指定）')
        await address.getByLabel('画像のURL').fill('https://example.com/a.png')
        await page.keyboard.press('Enter')
      },
    },
    'an embed': {
      thing: 'DIV',
      insert: async () => {
        await choose(page, '埋め込み（動画・投稿など）')
        const form = page.getByRole('dialog')
        await form.getByRole('textbox').fill('<iframe src="https://player.example/1" title="池"></iframe>')
        await form.getByRole('button', { name: '埋め込む' }).click()
      },
    },
    'a line': { thing: 'HR', insert: () => choose(page, '区切り線') },
  }
  for (const [way, { thing, insert, dropped }] of Object.entries(ways))
    for (const [input, next] of [
      ['keys', ''],
      ['method', '甲'],
      ['keys', '甲'],
      ['method', ''],
    ] as const) {
      const round = `${way}, ${input}, ${next || 'at the end'}`
      await beginWith(page, next)
      await insert()
      await expect.poll(async () => (await blocks(page)).includes(thing), { message: round }).toBe(true)
      await expect(body(page)).toBeFocused()
      await page.keyboard.press('ControlOrMeta+z')
      expect.soft(await written(page), `${round}, undone`).toEqual(next ? ['前', next] : ['前'])
      await page.keyboard.press('ControlOrMeta+Shift+z')
      if (input === 'keys') await page.keyboard.type('ab')
      else await typeJapanese(page, 'かわべ', '川辺')
      const typed = input === 'keys' ? 'ab' : '川辺'
      const all = dropped ? [thing, `${typed}前`, next] : ['前', thing, typed + next]
      expect.soft(await written(page), round).toEqual(all.filter((text) => text !== ''))
    }
})

test('an upload that ends late does not move the caret and does not interrupt a composition', {
  tag: '@full',
}, async ({ page, app }) => {
  await openArticle(page, app.url, { title: '遅い回線' })
  const held: Route[] = []
  await page.route('**/api/uploads/**', (route) => void held.push(route))
  /** Pastes a picture and delays its upload. Returns a function that completes it. */
  const paste = async (target: Locator, data: Parameters<typeof bring>[2] = { imageFile: pixel }) => {
    await bring(target, 'paste', data)
    await expect.poll(() => held.length).toBe(1)
    return async () => {
      const answered = page.waitForResponse((response) => response.url().includes('/api/uploads/'))
      await held.pop()?.continue()
      await answered
    }
  }

  // The upload ends while a word is being composed after the position of the picture.
  await beginWith(page, '甲')
  let end = await paste(body(page))
  await beginJapanese(page, 'かわ')
  await end()
  await expect(page.getByText(/件をアップロード中/)).toHaveCount(0)
  await typeJapanese(page, 'かわべ', '川辺')
  await expect.poll(() => written(page)).toEqual(['前', 'IMG', '川辺', '甲'])
  await page.keyboard.type('ab')
  expect(await written(page)).toEqual(['前', 'IMG', '川辺ab', '甲'])

  // The upload ends while another field has the focus.
  await beginWith(page, '')
  end = await paste(body(page))
  const title = page.getByRole('textbox', { name: '題名' })
  await title.fill('')
  await beginJapanese(page, 'かわ')
  await end()
  await expect.poll(() => written(page)).toEqual(['前', 'IMG'])
  await typeJapanese(page, 'かわべ', '川辺')
  await expect(title).toHaveValue('川辺')

  // A pasted text with a picture was undone before the upload ended. Redo inserts the uploaded picture.
  await beginWith(page, '')
  end = await paste(body(page), { html: `<p>池の</p><img src="data:image/png;base64,${pixel}">` })
  await expect.poll(() => written(page)).toEqual(['前池の', 'IMG'])
  await page.keyboard.press('ControlOrMeta+z')
  await expect.poll(() => written(page)).toEqual(['前'])
  await end()
  await expect(page.getByText(/件をアップロード中/)).toHaveCount(0)
  for (const round of ['first', 'again']) {
    await page.keyboard.press('ControlOrMeta+Shift+z')
    await expect.poll(() => written(page), { message: round }).toEqual(['前池の', 'IMG'])
    await expect(body(page).locator('img')).toHaveAttribute('src', /^http/)
    await page.keyboard.press('ControlOrMeta+z')
    await expect.poll(() => written(page), { message: round }).toEqual(['前'])
  }

  // In Markdown, a late upload does not interrupt a composition either.
  const memo = page.getByRole('textbox', { name: 'メモ' })
  await memo.click()
  await page.keyboard.type('前')
  end = await paste(memo)
  await beginJapanese(page, 'かわ')
  await end()
  await typeJapanese(page, 'かわべ', '川辺')
  await expect(memo).toHaveText(/^前!\[\]\(\S+\)川辺$/)
  await page.keyboard.press('ControlOrMeta+z')
  await expect(memo).toHaveText('前川辺')
  await title.focus()
  await (await paste(memo))()
  await expect(memo).toHaveText(/^前川辺!\[\]\(\S+\)$/)
  await page.getByRole('button', { name: '代替テキストを入力' }).last().click()
  await page.keyboard.type('池')
  await expect(memo).toHaveText(/^前川辺!\[池\]\(\S+\)$/)
  await photograph(page, 'uploads-done')
})

test('typing continues after ruby, a footnote, a link and an edited picture, and inside a new table', {
  tag: '@full',
}, async ({ page, app }) => {
  await openArticle(page, app.url, { title: '語の後' })
  const dialog = page.getByRole('dialog')
  const goOn = async () => {
    await expect(body(page)).toBeFocused()
    await page.keyboard.type('a')
    await typeJapanese(page, 'かわべ', '川辺')
  }
  const text = () => body(page).evaluate((element) => element.querySelector('p')?.textContent)

  await beginWith(page, '甲')
  await page.keyboard.press('ControlOrMeta+Alt+r')
  await dialog.getByLabel('文字').fill('池')
  await dialog.getByLabel('読み').fill('いけ')
  await page.keyboard.press('Enter')
  await goOn()
  expect(await text()).toBe('前池（いけ）a川辺')
  // Typing also continues after a ruby that was selected by a click.
  await body(page).locator('ruby').click()
  await expect(selectionTools(page)).toBeVisible()
  await typeJapanese(page, 'みず', '水')
  expect(await text()).toBe('前池（いけ）水a川辺')

  await beginWith(page, '甲')
  await page.keyboard.press('ControlOrMeta+Alt+f')
  await typeJapanese(page, 'ちゅう', '注')
  await page.keyboard.press('Enter')
  await goOn()
  expect(await text()).toBe('前1a川辺')
  await expect(body(page).locator('li')).toHaveText('注↩')

  await beginWith(page, '甲')
  await page.keyboard.press('ControlOrMeta+k')
  await dialog.getByLabel('URL').fill('example.com')
  await page.keyboard.press('Enter')
  await goOn()
  await expect(body(page).locator('p').first()).toHaveText('前https://example.coma川辺')
  await expect(body(page).locator('a')).toHaveText('https://example.com')

  await beginWith(page, '甲')
  await choose(page, '表')
  await goOn()
  await expect(body(page).locator('th').first()).toHaveText('a川辺')
  await page.keyboard.press('ControlOrMeta+z')

  // Inserting a line before a picture does not select the picture.
  await beginWith(page, '')
  await bring(body(page), 'paste', { imageFile: pixel })
  await expect.poll(() => written(page)).toEqual(['前', 'IMG'])
  await page.getByRole('button', { name: '代替テキストなし' }).click()
  await dialog.getByLabel('代替テキスト').fill('点')
  await page.keyboard.press('Enter')
  await goOn()
  expect(await written(page)).toEqual(['前', 'IMG', 'a川辺'])
  // The click is in the middle of the line, which is after its text.
  await expect(async () => {
    await body(page).locator('p').first().click()
    expect(await page.evaluate(() => getSelection()?.anchorNode?.textContent)).toBe('前')
  }).toPass()
  await choose(page, '区切り線')
  await goOn()
  expect(await written(page)).toEqual(['前', 'HR', 'a川辺', 'IMG', 'a川辺'])
})

test('a heading, a list, a video and a box from another editor are kept when the text is edited', {
  tag: '@full',
}, async ({ page, app: { url } }) => {
  const film =
    '<video controls src="https://films.example/%E6%B1%A0.mp4" poster="https://films.example/p.png"></video>'
  const id = await openArticle(page, url, {
    body: `<h2 id="login" class="app-shell">題</h2><ul><li>一</li><li class="ql-indent-1">二</li></ul>${film}<p class="ql-align-center">中ほど</p><div class="note"><p>注意</p></div>`,
  })
  const text = body(page)
  const player = text.getByRole('group', { name: '動画' })
  await expect(player.locator('video')).toHaveAttribute('controls')
  await expect(player).toContainText('films.example')
  await expect(text.locator('#login, .app-shell, .note')).toHaveCount(0)
  await photograph(page, 'kept-html')
  await text.getByText('中ほど').click()
  await page.keyboard.press('End')
  await page.keyboard.type('の文')
  await save(page)
  const kept = (await stored(page, id)).body
  expect(kept).toContain('<h2 class="app-shell" id="login">題</h2>')
  expect(kept).toMatch(/<li>(?:<p>)?一(?:<\/p>)?<ul><li>(?:<p>)?二/)
  expect(kept).toMatch(/<video controls[^>]* src="https:\/\/films\.example\/%E6%B1%A0\.mp4"/)
  expect(kept).toContain('<p style="text-align:center">中ほどの文</p><div class="note"><p>注意</p></div>')
  await player.getByText('films.example').click()
  await expect(player.locator('xpath=ancestor::*[@data-selected]')).toBeVisible()
  await page.keyboard.press('Delete')
  await expect(player).toHaveCount(0)
  await page.keyboard.press('ControlOrMeta+z')
  await expect(player).toBeVisible()
  await player.getByRole('button', { name: '外す' }).click()
  await save(page)
  expect((await stored(page, id)).body).not.toContain('<video')
})

test('unsaved input of a deleted and restored document can be restored, and this can be undone', {
  tag: '@full',
}, async ({ page, app }) => {
  const id = await openArticle(page, app.url, { title: '消す前' })
  const title = page.getByRole('textbox', { name: '題名' })
  const banner = page.getByRole('alert').filter({ hasText: '保存されていない変更が残っています' })
  await title.fill('書きかけ')
  await page.getByRole('button', { name: 'その他の操作' }).click()
  await page.getByRole('menuitem', { name: /^削除する/ }).click()
  const ask = page.getByRole('dialog', { name: 'このコンテンツを削除しますか？' })
  await expect(ask).toContainText('保存されていない変更があります。')
  await photograph(page, 'delete-with-unsaved-input')
  await ask.getByRole('button', { name: '削除する' }).click()
  await page.getByRole('button', { name: '元に戻す' }).click()
  await expect(page.getByText('元に戻しました')).toBeVisible()
  await page.goto(`/writing/blog/article/${id}`)
  await expect(banner).toBeVisible()

  // A message reports that restoring has replaced other input. This can be undone.
  await title.fill('別の題名')
  await banner.getByRole('button', { name: '復元する' }).click()
  await expect(title).toHaveValue('書きかけ')
  await expect(banner).toHaveCount(0)
  const replaced = page.getByRole('status').filter({ hasText: '入力していた内容（題名）' })
  await photograph(page, 'replaced-by-restored')
  await replaced.getByRole('button', { name: '入力していた内容に戻す' }).click()
  await expect(title).toHaveValue('別の題名')
  await expect(replaced).toHaveCount(0)
  await banner.getByRole('button', { name: '復元する' }).click()
  await save(page)
  await expect(replaced).toHaveCount(0)
  expect((await stored(page, id)).title).toBe('書きかけ')
})
