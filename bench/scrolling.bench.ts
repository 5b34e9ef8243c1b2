import { chromium, type Page } from '@playwright/test'
import sharp from 'sharp'
import { findChromium } from '../scripts/lib/chromium.mjs'
import { fillLibrary } from './library.ts'
import { close } from './measuring.ts'
import { startMediaServer } from './media-server.ts'
import { median } from './options.ts'

/* Measures frame times while the page of a library with 5,000 assets scrolls, in a headless Chromium. */

const assets = 5_000
const frames = 180
/** Distance per frame in px. */
const step = 60
/** Maximum median of the frame time in ms, at 60 frames per second. */
const target = 17

/**
 * Returns the median and the 95th percentile of the time between frames in ms, and the average work of the page's main
 * thread per frame.
 */
async function scroll(page: Page) {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const work = async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return (name: string) => (metrics.find((metric) => metric.name === name)?.value ?? 0) * 1000
  }
  const before = await work()
  // This code runs in the page, which has other globals.
  const times = await page.evaluate<number[]>(`(async () => {
    const pane = document.querySelector('[role=grid]').parentElement
    const times = []
    let last = await new Promise(requestAnimationFrame)
    for (let frame = 0; frame < ${frames}; frame++) {
      pane.scrollTop += ${step}
      const now = await new Promise(requestAnimationFrame)
      times.push(now - last)
      last = now
    }
    return times
  })()`)
  const after = await work()
  const each = (name: string) => ((after(name) - before(name)) / frames).toFixed(1)
  times.sort((a, b) => a - b)
  return {
    median: median(times),
    p95: times[Math.floor(frames * 0.95)] ?? 0,
    work: `${each('TaskDuration')} ms (scripts ${each('ScriptDuration')}, styles and layout ${(Number(each('RecalcStyleDuration')) + Number(each('LayoutDuration'))).toFixed(1)})`,
  }
}

const server = await startMediaServer()
const executablePath = findChromium()
const browser = await chromium.launch({
  ...(executablePath ? { executablePath } : {}),
  args: ['--no-sandbox', '--disable-gpu'],
})
let isMet = true
try {
  const form = new FormData()
  for (let at = 0; at < 8; at++) {
    const noise = { type: 'gaussian', mean: 110 + at * 10, sigma: 60 } as const
    const create = { width: 400, height: 300, channels: 3, background: 'gray', noise } as const
    const bytes = await sharp({ create }).jpeg().toBuffer()
    form.append('file', new Blob([new Uint8Array(bytes)], { type: 'image/jpeg' }), `${at}.jpg`)
  }
  await fetch(`${server.origin}/api/project/bench/assets`, {
    method: 'POST',
    headers: server.headers,
    body: form,
  })
  const db = server.database.kysely
  const contents = await db.selectFrom('asset').select(['space_id', 'storage_key', 'hash']).execute()
  await db.deleteFrom('asset').execute()
  await fillLibrary(
    db,
    contents[0]?.space_id ?? 0,
    assets,
    contents.map(({ storage_key, hash }) => ({ storage_key, hash })),
  )

  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'ja-JP' })
  const cookies = (server.headers.cookie ?? '').split('; ').map((pair) => pair.split(/=(.*)/s))
  await context.addCookies(cookies.map(([name = '', value = '']) => ({ name, value, url: server.origin })))
  const page = await context.newPage()
  for (const view of ['grid', 'list']) {
    await page.goto(`${server.origin}/bench/-/assets${view === 'list' ? '?view=list' : ''}`)
    await page.getByRole('gridcell').first().waitFor()
    await scroll(page) // The first scroll is a warm-up.
    const { median, p95, work } = await scroll(page)
    isMet &&= median <= target
    console.log(
      `${view}: median ${median.toFixed(1)} ms, 95 % within ${p95.toFixed(1)} ms; main thread ${work} per frame${median <= target ? '' : ' MISSED'}`,
    )
  }
} finally {
  await browser.close()
  await server.close()
  await close()
}
if (!isMet) process.exitCode = 1
