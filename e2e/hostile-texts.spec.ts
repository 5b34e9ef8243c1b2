import { readFile } from 'node:fs/promises'
import type { Locator, Page } from '@playwright/test'
import sharp from 'sharp'
import { expect, test } from './fixtures.ts'
import { enter, send } from './management-api.ts'

/* Texts that try to cover the page around them, in a color that no other element has. */

const cover =
  'position:absolute;top:-1200px;left:-1200px;width:9999px;height:9999px;z-index:9999;background-color:#f0f'
const words = '<b style="color:#f0f">セッションが終了しました</b>'
const link = (style: string) =>
  `<a href="https://a.example/"><img src="/favicon.svg" alt="" width="9999" height="9999" style="${style}"></a>`

const texts = {
  letters: '<p style="font-size:199px;line-height:0;color:#f0f">■■■■■■■■■■■■</p>',
  spacing: `<p style="white-space:nowrap;letter-spacing:99px;text-indent:999px">${words.repeat(5)}</p>`,
  'folded embed': `<details open><summary>x</summary><div class="twitter-x" style="${cover}">${words}</div></details>`,
  'linked picture': `<figure data-embed=""><div style="${cover}">${link(cover)}</div></figure>${link(cover)}`,
  frame: `<iframe src="https://a.example/" name="x" width="9999" height="9999" style="${cover}"></iframe>`,
  'frame in a parent': `<div class="embed" style="position:relative;bottom:1200px;right:1200px;height:9999px"><iframe src="https://a.example/" style="position:absolute;bottom:0;right:0;width:100%;height:100%;padding:999px"></iframe></div>`,
  'folded frame': `<details open><summary>x</summary><div class="embed" style="margin:-900px"><iframe src="https://a.example/" style="${cover}"></iframe></div></details>`,
  'negative margins': `<details open><summary>x</summary><div class="embed" style="margin:-1200px;padding:2400px;background-color:#f0f">${words}</div></details><section class="embed" style="margin-top:-1200px;margin-left:-99em">${words}</section>`,
  'fixed and sticky': `<div style="position:fixed;inset:0;z-index:9999;background-color:#f0f"><p style="position:sticky;top:0;background-color:#f0f">${words}</p></div>`,
  transforms: `<div style="transform:translate(-500px,-500px) scale(9);background-color:#f0f">${words}</div>`,
  'borders and shadows': `<div style="border:99px solid #f0f;box-shadow:0 0 0 9999px #f0f;outline:9999px solid #f0f;filter:drop-shadow(-900px 0 #f0f)">${words}</div>`,
  float: `<div style="float:left;width:9999px;height:2000px;background-color:#f0f">${words}</div>`,
  'no height': `<div style="height:0"><p style="margin:0 0 0 999px;width:9999px;height:2000px;background-color:#f0f">${words}</p></div>`,
}

const model = '/api/project/hostile-texts/app/blog/model/article/doc'

test.beforeEach(({ page, app }) =>
  enter(page.request, app.url, 'hostile-texts', [
    {
      uid: 'article',
      name: '記事',
      fields: [
        { uid: 'title', name: '題名', type: 'TEXT' },
        { uid: 'body', name: '本文', type: 'RICH_TEXT' },
        { uid: 'memo', name: 'メモ', type: 'MARKDOWN' },
      ],
      titleField: 'title',
    },
  ]),
)

const isCover = (red = 0, green = 0, blue = 0) => red > 240 && green < 20 && blue > 240

/**
 * Checks the visible part of the page. Content of a box must not be clickable outside the box, and nothing in the color
 * of the texts may be painted outside all boxes.
 */
async function expectContained(page: Page, boxes: Locator[], name: string): Promise<void> {
  const elements = await Promise.all(boxes.map((box) => box.elementHandle()))
  const { places, hits } = await page.evaluate((elements) => {
    const boxes = elements.flatMap((element) =>
      element === null ? [] : [{ element, place: element.getBoundingClientRect() }],
    )
    const hits = new Set<string>()
    for (let y = 8; y < innerHeight; y += 16)
      for (let x = 8; x < innerWidth; x += 16) {
        const hit = document.elementFromPoint(x, y)
        for (const { element, place } of boxes) {
          // Browsers round positions to whole pixels.
          const isInside =
            x > place.left - 1 && x < place.right + 1 && y > place.top - 1 && y < place.bottom + 1
          if (!isInside && hit && hit !== element && element.contains(hit))
            hits.add(`${hit.localName} at ${x},${y}`)
        }
      }
    const places = boxes.map(({ place: { left, top, right, bottom } }) => ({ left, top, right, bottom }))
    return { places, hits: [...hits].slice(0, 3) }
  }, elements)
  expect(hits, name).toEqual([])
  const outside = (await coveredPixels(page)).filter(
    ([x, y]) =>
      !places.some(
        ({ left, top, right, bottom }) =>
          x >= Math.floor(left) && x < right && y >= Math.floor(top) && y < bottom,
      ),
  )
  expect(outside.slice(0, 3), name).toEqual([])
}

/** Returns the pixels of the window that have the color of the texts. */
async function coveredPixels(page: Page): Promise<[x: number, y: number][]> {
  const { data, info } = await sharp(await page.screenshot())
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  const found: [number, number][] = []
  for (let at = 0; at < data.length; at += 3)
    if (isCover(data[at], data[at + 1], data[at + 2]))
      found.push([(at / 3) % info.width, Math.floor(at / 3 / info.width)])
  return found
}

/** Creates a published article with the text in both fields. Returns its `_id`. */
async function publish(page: Page, origin: string, html: string): Promise<string> {
  const { document } = await send(page.request, origin, model, {
    document: { title: '題', body: html, memo: html },
    type: 'PUBLISH',
  })
  return document._id
}

/** Checks that the text stays inside the editor and the Markdown preview. */
async function expectContainedInFields(
  page: Page,
  origin: string,
  html: string,
  name: string,
): Promise<void> {
  await page.goto(`/hostile-texts/blog/article/${await publish(page, origin, html)}`)
  const body = page.getByRole('textbox', { name: '本文', exact: true })
  const toEditor = page.getByRole('button', { name: 'エディターで編集' })
  await expect(body.or(toEditor)).toBeVisible()
  if (await toEditor.isVisible()) {
    await toEditor.click()
    await page.getByRole('button', { name: 'エディターで開く' }).click()
    await expect(body).toBeVisible()
  }
  await page.getByText('並べて表示', { exact: true }).click()
  const preview = page.getByRole('region', { name: 'メモのプレビュー' })
  await expect(preview.locator('> *').first()).toBeAttached()
  const boxes = [body, preview, ...(await body.locator('details').locator('..').all())]
  for (const box of boxes)
    for (const [block, margin] of [
      ['start', -300],
      ['end', 300],
    ] as const) {
      await box.evaluate((element, block) => element.scrollIntoView({ block }), block)
      await page.evaluate((margin) => scrollBy(0, margin), margin)
      await expectContained(page, boxes, `${name}, ${block}`)
    }
}

/** Checks that the text stays inside its box in a revision and in the comparison with the form. */
async function expectContainedInRevision(page: Page, origin: string, html: string, name: string) {
  const id = await publish(page, origin, html)
  await send(page.request, origin, `${model}/${id}`, { doc: { body: '<p>別の本文</p>' } }, 'PUT')
  await page.goto(`/hostile-texts/blog/article/${id}`)
  await page
    .getByRole('region', { name: '変更履歴' })
    .getByRole('button', { name: /公開中/ })
    .click()
  const revision = page.getByRole('dialog')
  await expectContained(page, [revision.getByRole('region', { name: /^本文 バージョン/ })], name)
  await revision.getByText('このバージョンの内容', { exact: true }).click()
  await expectContained(page, [revision.getByRole('region', { name: '本文' })], name)
}

/** Checks that texts from the delivery API stay inside their box on a site that follows docs/rich-text-for-sites.md. */
async function expectContainedOnSite(page: Page, origin: string, text: string, name: string): Promise<void> {
  const id = await publish(page, origin, text)
  const { apiToken } = await send(page.request, origin, '/api/project/hostile-texts/apiToken', {
    data: { name: 'site' },
  })
  const answer = await page.request.get(`${origin}/v1/blog/article/${id}`, {
    headers: { authorization: `Bearer ${apiToken.token}` },
  })
  const { body, memo } = await answer.json()
  const guide = await readFile('docs/rich-text-for-sites.md', 'utf8')
  const styles = /```css\n(.*?)```/s.exec(guide)?.[1]
  const site = await page.context().newPage()
  for (const html of [body, memo]) {
    await site.setContent(
      `<base href="${origin}"><style>${styles} body { display: grid; grid-template-columns: 200px 1fr 200px; grid-template-rows: 200px auto 200px }</style>
      <header>見出し</header><div></div><div></div><nav>目次</nav><main><div class="rich-text">${html}</div></main><aside>広告</aside><footer>連絡先</footer>`,
    )
    const box = site.locator('.rich-text')
    await expectContained(site, [box], `${name} on a site`)
    await site.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
    await expectContained(site, [box], `the end of ${name} on a site`)
  }
  await site.close()
}

const places = [expectContainedInFields, expectContainedInRevision, expectContainedOnSite]

test('all hostile texts together cover nothing around them in the admin or on a site', async ({
  page,
  app: { url },
}) => {
  for (const expectContainedThere of places)
    await expectContainedThere(page, url, Object.values(texts).join('\n\n'), 'all at once')
})

for (const [name, html] of Object.entries(texts))
  test(`a hostile text covers nothing around it: ${name}`, { tag: '@full' }, async ({
    page,
    app: { url },
  }) => {
    for (const expectContainedThere of places) await expectContainedThere(page, url, html, name)
  })

test('no hostile text extends above or to the left of its container on a site without styles', async ({
  page,
  app: { url },
}) => {
  const site = await page.context().newPage()
  for (const [name, html] of Object.entries(texts)) {
    const { document } = await send(page.request, url, model, { document: { title: '題', body: html } })
    await site.setContent(
      `<header style="height:200px">見出し</header><main style="margin-left:200px">${document.body}</main>`,
    )
    const outside = await site.locator('main').evaluate((main) => {
      const { left, top } = main.getBoundingClientRect()
      const elements = [...main.querySelectorAll('*')].filter((element) => {
        const place = element.getBoundingClientRect()
        return place.width * place.height > 0 && (place.left < left || place.top < top)
      })
      return elements.map((element) => element.outerHTML)
    })
    expect(outside, name).toEqual([])
  }
})

test('an embedded frame fills its responsive parent, and a folded block can be removed by its button', async ({
  page,
  app: { url },
}) => {
  const film =
    '<div style="position:relative;padding-bottom:56.25%;height:0"><iframe src="https://player.example/1" style="position:absolute;top:0;left:0;width:100%;height:100%;border:0"></iframe></div>'
  const id = await publish(page, url, texts['folded embed'])
  await page.goto(`/hostile-texts/blog/article/${id}`)
  const block = page.getByRole('group', { name: '折りたたみ' })
  await expect.poll(async () => (await coveredPixels(page)).length).toBeGreaterThan(0)
  await block.getByRole('button', { name: '外す' }).click()
  await expect(block).toHaveCount(0)

  const { document } = await send(page.request, url, model, { document: { title: '題', body: film } })
  await page.setContent(`<div style="width:640px">${document.body}</div>`)
  expect(await page.locator('iframe').boundingBox()).toMatchObject({ width: 640, height: 360 })
})
