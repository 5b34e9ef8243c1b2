import { expect, it } from 'vitest'
import { type Gap, manifestSchema } from '#archive/format.ts'
import { createReporter } from '#rescue/cli/progress.ts'
import { RescueFailure } from '#rescue/failure.ts'
import { messagesFor, sentenceFor } from '#rescue/messages/messages.ts'
import { renderReport } from './report.ts'

const ja = messagesFor('ja')
const en = messagesFor('en')

const manifest = manifestSchema.omit({ files: true }).parse({
  format: 'imori-archive',
  formatVersion: 1,
  generator: 'test',
  status: 'partial',
  startedAt: '2026-11-21T00:00:00.000Z',
  finishedAt: '2026-11-21T00:01:00.000Z',
  source: { kind: 'newt', space: 'acme', app: 'Q&A', origin: null },
  asked: { models: ['article', 'empty'], views: ['api'], depth: 1, assetHosts: [] },
  models: [
    { uid: 'article', foundBy: null, api: { count: 2, path: 'contents/api/article.ndjson' }, cdn: null },
    { uid: 'empty', foundBy: null, api: { count: 0, path: 'contents/api/empty.ndjson' }, cdn: null },
  ],
  counts: {
    contents: { api: 2, cdn: 0 },
    assets: { urls: 0, files: 0, bytes: 0 },
    gaps: { assets: 1, references: 1, contents: 2 },
  },
})
const use = { view: 'api', model: 'article', content: '0123', title: '春の|お知らせ`<b>' }
const gaps: Gap[] = [
  { kind: 'asset', url: 'https://acme.assets.newt.so/v1/1/a.png', reason: '403', uses: 1, usedBy: [use] },
  { kind: 'reference', id: '9', uses: 1, usedBy: [{ ...use, field: 'author' }] },
  { kind: 'content', view: 'api', model: 'article', id: '(4)', saved: false },
  { kind: 'content', view: 'api', model: 'article', id: '5', title: '長い話 👩\u200d🌾', saved: true },
]

it('renderReport names contents by title, and links them to their pages in Newt', () => {
  const report = renderReport(manifest, gaps, { gone: 0 }, ja)
  expect(report).toContain(
    '[`春の_お知らせ_b_`](https://app.newt.so/acme/apps/Q%26A/models/article/contents/0123)',
  )
  expect(report).toContain(
    '[（題名なし）](https://app.newt.so/acme/apps/Q%26A/models/article/contents/%284%29)',
  )
  expect(report).toContain(
    '[`長い話 👩\u200d🌾`](https://app.newt.so/acme/apps/Q%26A/models/article/contents/5) (`api/article/5`): 大きすぎたので本文だけ保存しました。画像は保存されていません',
  )
  const elsewhere = { ...manifest, source: { ...manifest.source, origin: 'https://cms.example.com' } }
  expect(renderReport(elsewhere, gaps, { gone: 0 }, ja)).not.toContain('https://app.newt.so')
})

it('renderReport reports refused files, empty models, unsaved models and data outside the API', () => {
  const report = renderReport(manifest, gaps, { gone: 0 }, ja)
  expect(report).toContain('断られて取れなかったファイルがあります。時間をおいて、もう一度実行してください')
  expect(report).toContain('| `empty` | 0 | – | コンテンツがありません |')
  expect(report).toContain('これ以外のモデルは保存されていません。')
  for (const line of ja.notInApi.lines) expect(report).toContain(line)
  for (const line of en.notInApi.lines) expect(renderReport(manifest, gaps, { gone: 0 }, en)).toContain(line)
  expect(renderReport(manifest, gaps.slice(1), { gone: 0 }, ja)).not.toContain('断られて')
})

it('the reporter prints the reason for each wait in words, and prints nothing after `end`', () => {
  let shown = ''
  let now = 0
  const reporter = createReporter({ write: (text: string) => (shown += text) }, ja, () => now)
  const reasons = ['UND_ERR_SOCKET', '429', '403', 'refused', '503', 'timeout', 'unreadable: cut']
  for (const reason of reasons) {
    now += 60_000
    reporter.waiting(reason, 1_500)
  }
  expect(shown.split('\n').slice(0, -1)).toEqual([
    '通信が途切れたので、2 秒後にやり直します',
    '混み合っているので、2 秒待ちます',
    '断られたので、2 秒後にやり直します',
    '断られたので、2 秒後にやり直します',
    'サーバーがエラーを返したので、2 秒後にやり直します',
    '返事が来ないので、2 秒後にやり直します',
    '返事が途中で切れたので、2 秒後にやり直します',
  ])
  reporter.end()
  shown = ''
  now += 60_000
  reporter.waiting('UND_ERR_SOCKET', 1_500)
  reporter.step('contents', 1, 2)
  reporter.note('late')
  expect(shown).toBe('')
})

it('sentenceFor distinguishes a refusal by Newt from a refusal on the way to Newt', () => {
  const refused = (code: string) => sentenceFor(new RescueFailure('not_allowed', { view: 'api', code }), ja)
  expect(refused('')).toContain(
    'サーバーに届く前に断られました（403）。VPN や社内ネットワークを切って、もう一度',
  )
  expect(refused('PermissionDenied')).toContain('このトークンでは読むことが許されていません')
})
