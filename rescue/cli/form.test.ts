import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { verifyArchive } from '#archive/verify.ts'
import { messagesFor } from '#rescue/messages/messages.ts'
import { optionsFor } from '#rescue/testing/helpers.ts'
import { person } from '#rescue/testing/person.ts'
import { sampleSpace } from '#test/newt-stand-in/sample-space.ts'
import { addContent, emptySpace, idOf } from '#test/newt-stand-in/space.ts'
import { fillInForm } from './form.ts'
import { exitCodeOf, runAll } from './run-all.ts'
import { summarise } from './summary.ts'

const ja = messagesFor('ja')

import { freshBench } from '#rescue/testing/bench.ts'

const bench = freshBench()
beforeEach(async () => {
  const shop = emptySpace()
  shop.app = { uid: 'Q&A', name: 'よくある質問' }
  const created = { createdAt: '2023-01-01T00:00:00.000Z' }
  addContent(shop, '質問', { id: idOf(1), ...created, draft: { title: '返品はできますか' } })
  shop.models.set('tag', new Map())
  await bench.serve(sampleSpace(), { otherApps: [shop] })
})

const runsOf = (out: string) => [
  optionsFor(bench.standIn, join(out, 'newt-demo-blog'), { models: ['author', 'category'] }),
  optionsFor(bench.standIn, join(out, 'newt-demo-nothing'), { app: 'nothing' }),
  optionsFor(bench.standIn, join(out, 'newt-demo-qa'), { app: 'Q&A', models: ['質問', 'tag'] }),
]

/** Runs apps without a terminal. Returns the outcomes and the printed lines. */
async function runUnattended(runs: ReturnType<typeof runsOf>) {
  let printed = ''
  const screen = { write: (text: string) => (printed += text) }
  const { signal } = new AbortController()
  const outcomes = await runAll(runs, { output: screen, progress: screen }, ja, signal)
  const lines = await summarise(outcomes, ja)
  return { outcomes, printed: printed + lines.join('\n') }
}

it('`runAll` saves the other apps when one fails, and `summarise` reports on all of them', async () => {
  const runs = runsOf(bench.folder)
  const { outcomes, printed } = await runUnattended(runs)
  expect(outcomes.map(({ manifest, failure }) => manifest?.status ?? failure?.code)).toEqual([
    'complete',
    'app_not_found',
    'complete',
  ])
  expect(exitCodeOf(outcomes)).toBe(1)
  expect(exitCodeOf(outcomes.filter(({ manifest }) => manifest))).toBe(0)
  for (const app of ['newt-demo-blog', 'newt-demo-qa']) {
    expect((await verifyArchive(join(bench.folder, app))).problems).toEqual([])
  }
  for (const sentence of [
    '指定したモデル（author、category）は、すべて保存しました。',
    'これ以外のモデルは保存されていません。',
    '0 件のモデルがあります（tag）',
    'これ以外の App は保存されていません。',
    'フォームに届いたメッセージ',
  ]) {
    expect(printed).toContain(sentence)
  }
  const report = await readFile(join(bench.folder, 'newt-demo-report.md'), 'utf8')
  expect(report).toContain('[report.md](newt-demo-blog/report.md)')
  expect(report).toContain('| `nothing` | 保存できませんでした |')
  expect(report).toContain('- `質問`: 1')
  expect(report).toContain(ja.notInApi.title)
  for (const token of Object.values(bench.standIn.space.tokens)) expect(report).not.toContain(token)

  // The apps are saved again after the failing one is corrected. Completed apps stay as they are.
  const shop = runs[1]
  if (!shop) throw new Error('no second run')
  shop.app = 'blog'
  shop.models = ['author']
  const again = await runUnattended(runs)
  expect(again.outcomes.map(({ manifest }) => manifest?.status)).toEqual(['complete', 'complete', 'complete'])
  expect(exitCodeOf(again.outcomes)).toBe(0)
  expect(again.printed).toContain('もう保存してあります')
})

it('`fillInForm` offers to retry only the unfinished app', async () => {
  const { api, cdn } = bench.standIn.space.tokens
  let isDown = true
  // One picture fails at first, so that its app stays unfinished.
  bench.standIn.options.fault = ({ path }) =>
    isDown && path.includes('wide.png') ? { kind: 'status', status: 503 } : undefined
  const mend = async () => {
    isDown = false
  }
  const out = join(bench.folder, 'out')
  const { input, output, screen, left } = person([
    '',
    'demo',
    'blog',
    api,
    cdn,
    'article author category staff-member',
    '',
    out,
    'Q&A',
    '質問',
    '',
    `${out}-qa`,
    '',
    '',
    '',
    mend,
  ])
  const options = { ...optionsFor(bench.standIn, ''), space: '', app: '', models: [], tokens: { api: '' } }
  const code = await fillInForm(
    { input, output, progress: { write: () => true } },
    { language: 'ja', options },
    bench.folder,
    (work) => work(new AbortController().signal),
    () => {},
  )
  expect(left).toEqual([])
  expect(code).toBe(3)
  expect(screen()).toContain('「blog」をもう一度試しますか')
  expect(screen()).not.toContain('「Q&A」をもう一度')
  expect(screen()).toContain('レポート')
  for (const token of [api, cdn]) expect(screen()).not.toContain(token)
})
