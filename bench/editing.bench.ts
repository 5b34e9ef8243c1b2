import { type BrowserContext, type CDPSession, chromium, type Page } from '@playwright/test'
import { findChromium } from '../scripts/lib/chromium.mjs'
import { prose } from './content.ts'
import { close } from './measuring.ts'
import { startMediaServer } from './media-server.ts'
import { median } from './options.ts'

/*
 * Measures in a headless Chromium: opening a document of a model with 100 fields and 300 blocks, and typing in it,
 * compared with a model with one field. Also measures composing Japanese in a rich text of 300 paragraphs.
 */

const [fields, blocks, paragraphs, keys, openings] = [100, 300, 300, 60, 5]
/** Maximum durations in ms. */
const target = { opening: 1000, key: 16 }

const server = await startMediaServer()
const post = async (path: string, body: object) => {
  const url = `${server.origin}/api/project/bench/${path}`
  const headers = { ...server.headers, 'content-type': 'application/json' }
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`)
  return JSON.parse(text)
}

/**
 * Creates three documents and returns their paths in the admin: `empty` has only a title, `large` has all fields and
 * blocks, `long` has a long text.
 */
async function write(): Promise<{ empty: string; large: string; long: string }> {
  await post('app', { data: { uid: 'site', name: 'サイト' } })
  const section = [
    { uid: 'heading', name: '見出し', type: 'TEXT' },
    { uid: 'text', name: '本文', type: 'TEXT', inputType: 'textarea' },
    { uid: 'wide', name: '全幅', type: 'CHECKBOX' },
  ]
  await post('app/site/customFieldType', {
    data: { uid: 'SECTION', name: 'セクション', fields: section },
  })
  const kinds = [
    { type: 'TEXT' },
    { type: 'TEXT', inputType: 'textarea' },
    { type: 'NUMBER' },
    { type: 'DATE' },
    { type: 'CHECKBOX' },
  ]
  const value = (at: number) =>
    [prose(at, 20), prose(at, 80), at, '2026-11-22T00:00:00.000Z', at % 2 === 0][at % kinds.length]
  const plain = Array.from({ length: fields - 2 }, (_, at) => ({
    uid: `field${at}`,
    name: `項目${at}`,
    ...kinds[at % kinds.length],
  }))
  const title = { uid: 'title', name: '題名', type: 'TEXT' }
  const types = [{ type: 'CUSTOM', customType: 'SECTION' }, { type: 'TEXT' }]
  const sections = { uid: 'blocks', name: 'ブロック', type: 'MULTI_TYPE', multiple: true, types }
  const model = async (uid: string, all: object[]) =>
    post('app/site/model', { data: { uid, name: uid, titleField: 'title', fields: all } })
  await model('empty', [title])
  await model('large', [title, ...plain, sections])
  await model('long', [title, { uid: 'text', name: '本文', type: 'RICH_TEXT' }])
  const document = async (uid: string, values: object) => {
    const made = await post(`app/site/model/${uid}/doc`, { document: values, type: 'SAVE' })
    return `/bench/site/${uid}/${made.document._id}`
  }
  const block = (at: number) =>
    at % 3 === 2
      ? { type: 'TEXT', data: prose(at, 60) }
      : { type: 'SECTION', data: { heading: prose(at, 16), text: prose(at + 1000, 120), wide: at % 2 === 0 } }
  return {
    empty: await document('empty', { title: '題名' }),
    large: await document('large', {
      title: '題名',
      ...Object.fromEntries(plain.map(({ uid }, at) => [uid, value(at)])),
      blocks: Array.from({ length: blocks }, (_, at) => block(at)),
    }),
    long: await document('long', {
      title: '題名',
      text: Array.from({ length: paragraphs }, (_, at) => `<p>${prose(at, 120)}</p>`).join(''),
    }),
  }
}

/**
 * Times in ms from the click in the list until the page shows the first field, and until it shows the whole document.
 */
interface Opening {
  writable: number
  whole: number
}

/** Opens a document from its list. `last`: selector of the last element. */
async function open(page: Page, address: string, last: string): Promise<Opening> {
  const list = address.slice(0, address.lastIndexOf('/'))
  await page.goto(server.origin + list)
  // The model has no other document.
  await page.locator('[role=row][data-id]').waitFor()
  // This code runs in the page, which has other globals.
  return page.evaluate<Opening>(`(async () => {
    const started = performance.now()
    document.querySelector('[role=row][data-id]').click()
    const drawn = async (selector) => {
      while (!document.querySelector(selector)) {
        if (performance.now() - started > 30_000) throw new Error('The document did not open')
        await new Promise(requestAnimationFrame)
      }
      await new Promise(requestAnimationFrame)
      await new Promise((done) => setTimeout(done))
      return performance.now() - started
    }
    return { writable: await drawn('#field-title'), whole: await drawn(${JSON.stringify(last)}) }
  })()`)
}

/** A field to type in, and a function that presses one key. */
interface Writing {
  box: string
  /** Selector of the last element of the document. */
  last: string
  press(page: Page, session: CDPSession, at: number): Promise<unknown>
}

const typing: Writing = {
  box: '#field-title',
  last: '#field-title',
  press: (page) => page.keyboard.press('a', { delay: 20 }),
}

/** Types like a Japanese input method: a word of six syllables grows and is committed. */
const composing: Writing = {
  box: '#field-text',
  last: '#field-text',
  press: (_page, session, at) => {
    const text = 'いもりのはなし'.slice(0, (at % 7) + 1)
    return at % 7 === 6
      ? session.send('Input.insertText', { text: '井守の話' })
      : session.send('Input.imeSetComposition', {
          text,
          selectionStart: text.length,
          selectionEnd: text.length,
        })
  },
}

/**
 * Types all keys. Returned values, with times in ms:
 *
 * - `median`, `p95`: time from a key event until the frame that shows it
 * - `long`: number of long tasks
 * - `work`, `scripts`, `layout`: work of the main thread per key
 */
async function type(page: Page, { box, press }: Writing) {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const work = async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return (name: string) => (metrics.find((metric) => metric.name === name)?.value ?? 0) * 1000
  }
  await page.locator(box).click()
  await page.evaluate(`(() => {
    window.seen = []
    window.long = 0
    const watch = () => {
      const at = performance.now()
      const channel = new MessageChannel()
      channel.port1.onmessage = () => window.seen.push(performance.now() - at)
      requestAnimationFrame(() => channel.port2.postMessage(0))
    }
    for (const event of ['keydown', 'compositionupdate']) addEventListener(event, watch, { capture: true })
    new PerformanceObserver((list) => { window.long += list.getEntries().length }).observe({ type: 'longtask' })
  })()`)
  const before = await work()
  for (let at = 0; at < keys; at++) {
    await press(page, session, at)
    // Each key is rendered before the next one.
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))')
  }
  const after = await work()
  const { seen, long } = await page.evaluate<{ seen: number[]; long: number }>(
    '({ seen: window.seen, long: window.long })',
  )
  const each = (name: string) => (after(name) - before(name)) / keys
  seen.sort((a, b) => a - b)
  return {
    median: median(seen),
    p95: seen[Math.floor(seen.length * 0.95)] ?? 0,
    long,
    work: each('TaskDuration'),
    scripts: each('ScriptDuration'),
    layout: each('RecalcStyleDuration') + each('LayoutDuration'),
  }
}

async function measure(context: BrowserContext, address: string, writing: Writing) {
  const page = await context.newPage()
  const times: Opening[] = []
  for (let at = 0; at < openings; at++) times.push(await open(page, address, writing.last))
  const [first = { writable: 0, whole: 0 }, ...others] = times
  const typed = await type(page, writing)
  await page.close()
  const of = (what: keyof Opening) => median(others.map((one) => one[what]))
  return { first, writable: of('writable'), whole: of('whole'), ...typed }
}

const executablePath = findChromium()
const browser = await chromium.launch({
  ...(executablePath ? { executablePath } : {}),
  args: ['--no-sandbox', '--disable-gpu'],
})
let isMet = true
try {
  const addresses = await write()
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'ja-JP' })
  const cookies = (server.headers.cookie ?? '').split('; ').map((pair) => pair.split(/=(.*)/s))
  await context.addCookies(cookies.map(([name = '', value = '']) => ({ name, value, url: server.origin })))
  console.log(
    `| editor | can be written in (first time) | is there as a whole | a key is seen after, median (95 %) | main thread per key | scripts; styles and layout | long tasks in ${keys} keys |`,
  )
  console.log('|---|---|---|---|---|---|---|')
  for (const [name, address, writing] of [
    ['one field', addresses.empty, typing],
    [
      `${fields} fields, ${blocks} blocks`,
      addresses.large,
      { ...typing, last: `[data-item="${blocks - 1}"]` },
    ],
    [`composing among ${paragraphs} paragraphs`, addresses.long, composing],
  ] as const) {
    const measured = await measure(context, address, writing)
    const { first, writable, whole, median: key, p95, work, scripts, layout, long } = measured
    const ms = (value: number) => value.toFixed(1)
    isMet &&= whole <= target.opening && work <= target.key
    console.log(
      `| ${name} | ${ms(writable)} (${ms(first.writable)}) ms | ${ms(whole)} (${ms(first.whole)}) ms | ${ms(key)} (${ms(p95)}) ms | ${ms(work)} ms | ${ms(scripts)}; ${ms(layout)} ms | ${long} |`,
    )
  }
} finally {
  await browser.close()
  await server.close()
  await close()
}
if (!isMet) {
  console.error(`Missed: ${target.opening} ms to open, ${target.key} ms of work for a key`)
  process.exitCode = 1
}
