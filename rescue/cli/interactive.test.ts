/** @module-tag full */
import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { messagesFor } from '#rescue/messages/messages.ts'
import { freshBench } from '#rescue/testing/bench.ts'
import { optionsFor, rescueAndVerify } from '#rescue/testing/helpers.ts'
import { person, type Typed } from '#rescue/testing/person.ts'
import { sampleSpace } from '#test/newt-stand-in/sample-space.ts'
import { addContent, emptySpace, idOf } from '#test/newt-stand-in/space.ts'
import { parseCommand } from './command.ts'
import { askForRuns, chooseLanguage, offerUnfinished } from './interactive.ts'
import { Prompter } from './prompt.ts'

const bench = freshBench()
beforeEach(() => bench.serve(sampleSpace()))

/** Creates a simulated user for prompts outside a form. */
function personAsked(answers: Typed[]) {
  const somebody = person(answers)
  return { ...somebody, prompter: new Prompter(somebody.input, somebody.output) }
}

const given = () => {
  const command = parseCommand(['--origin', bench.standIn.origin], {})
  if (command.name !== 'ask') throw new Error('unexpected')
  return command.options
}

it.each(['ja', 'en'] as const)(
  'the interactive mode explains wrong answers in the language %s, and asks again',
  async (language) => {
    bench.standIn.space.app.name = 'ブログ\u202e 🧑🏽\u200d🌾'
    const { api, cdn } = bench.standIn.space.tokens
    const out = join(bench.folder, 'out')
    const file = join(bench.folder, 'file')
    await writeFile(file, 'x')
    const { prompter, screen, left } = personAsked([
      language === 'ja' ? '1' : '2',
      'not a uid!',
      'https://app.newt.so/demo/app/blog',
      'wrong-app',
      'wrong-token',
      'demo',
      api,
      '',
      'https://app.newt.so/demo/apps/blog/models/article',
      api,
      'wrong-cdn-token',
      cdn,
      'https://app.newt.so/demo/apps/blog/models/article, articel',
      'author',
      '',
      file,
      out,
      '',
      'https://media.example.com/bucket/x',
      'media.example.com',
      'y',
    ])
    expect(await chooseLanguage(prompter, 'ja')).toBe(language)
    const [options] = await askForRuns(prompter, language, [given()])
    prompter.close()
    expect(left).toEqual([])
    expect(options).toMatchObject({
      space: 'demo',
      app: 'blog',
      tokens: { api, cdn },
      models: ['article', 'author'],
      assetHosts: ['media.example.com'],
      out,
      zip: true,
    })
    const text = messagesFor(language)
    for (const sentence of [
      text.prompts.badSpace,
      text.failures.token_refused({ space: 'demo', view: 'api' }),
      text.failures.token_refused({ space: 'demo', view: 'cdn' }),
      text.failures.app_not_found({ space: 'demo', app: 'wrong-app' }),
      text.failures.model_not_found({ app: 'blog', model: 'articel' }),
      text.prompts.found('ブログ 🧑🏽\u200d🌾'),
      text.prompts.modelFound('article', 6),
    ]) {
      expect(screen()).toContain(sentence)
    }
    for (const secret of [api, cdn, 'wrong-token', 'wrong-cdn-token']) expect(screen()).not.toContain(secret)
  },
)

it('the interactive mode recognises a CDN token entered as API token, and uses it as CDN token', async () => {
  const { api, cdn } = bench.standIn.space.tokens
  const out = join(bench.folder, 'out')
  const { prompter, screen, left } = personAsked([
    'https://demo.api.newt.so/v1/blog/article',
    '',
    cdn,
    api,
    'article\nauthor\rcategory',
    '',
    out,
    '',
    '',
    'n',
  ])
  const [options] = await askForRuns(prompter, 'en', [given()])
  prompter.close()
  expect(left).toEqual([])
  expect(options).toMatchObject({ space: 'demo', app: 'blog', tokens: { api, cdn }, zip: false })
  expect(options?.models).toEqual(['article', 'author', 'category'])
  expect(screen()).toContain(messagesFor('en').prompts.wasCdnToken)
})

it('the interactive mode asks for further models if a pasted address names a model, and warns of an empty model', async () => {
  const { api } = bench.standIn.space.tokens
  const { prompter, screen, left } = personAsked([
    'https://app.newt.so/demo/app/blog/models/article',
    '',
    api,
    '',
    'empty',
    '',
    join(bench.folder, 'out'),
    '',
    '',
    '',
  ])
  const [options] = await askForRuns(prompter, 'ja', [given()])
  prompter.close()
  expect(left).toEqual([])
  expect(options?.models).toEqual(['article', 'empty'])
  const { prompts } = messagesFor('ja')
  expect(screen()).toContain(prompts.models.split('\n')[0])
  expect(screen()).toContain('0 件。コンテンツがありません')
  expect(screen()).toContain('これ以外のモデルは保存しません')
  expect(screen()).toContain('article、empty')
})

it('the interactive mode asks for the models and the folder of each app, and explains wrong answers', async () => {
  const shop = emptySpace()
  shop.app = { uid: 'Q&A', name: 'よくある質問' }
  addContent(shop, '質問 集', { id: idOf(1), createdAt: '2023-01-01T00:00:00.000Z', draft: { title: 'x' } })
  bench.standIn.options.otherApps = [shop]
  const { api, cdn } = bench.standIn.space.tokens
  const out = join(bench.folder, 'out')
  const { prompter, screen, left } = personAsked([
    'demo',
    'blog',
    cdn,
    'article',
    '',
    out,
    'blog',
    'nothing',
    'https://app.newt.so/other/app/blog',
    'a/b',
    'https://app.newt.so/demo/app/Q%26A/models/%E8%B3%AA%E5%95%8F%20%E9%9B%86',
    '',
    join(out, 'inside'),
    `${out}-2`,
    '',
    '',
    'y',
  ])
  const runs = await askForRuns(prompter, 'ja', [{ ...given(), tokens: { api } }])
  prompter.close()
  expect(left).toEqual([])
  const tokens = { api, cdn }
  expect(runs).toMatchObject([
    { app: 'blog', models: ['article'], tokens, out, zip: true },
    { app: 'Q&A', models: ['質問 集'], tokens, out: `${out}-2`, zip: true },
  ])
  const { prompts, failures } = messagesFor('ja')
  for (const sentence of [
    prompts.sameApp,
    failures.app_not_found({ space: 'demo', app: 'nothing' }),
    prompts.otherSpace,
    prompts.badUid,
    prompts.sameFolder,
  ]) {
    expect(screen()).toContain(sentence)
  }
})

it('the interactive mode waits while there is no network, and tries again on Enter', async () => {
  const { api } = bench.standIn.space.tokens
  const port = bench.standIn.port
  await bench.standIn.close()
  let isAway = true
  const back = async () => {
    if (!isAway) return
    isAway = false
    await bench.serve(sampleSpace(), {}, port)
  }
  const { prompter, screen } = personAsked(['demo', 'blog', back, '', 'article', '', '\u0003'])
  const asked = askForRuns(prompter, 'ja', [{ ...given(), tokens: { api } }])
  await expect(asked).rejects.toMatchObject({ code: 'interrupted' })
  prompter.close()
  expect(screen()).toContain('接続を確かめて Enter を押すと、もう一度試します')
  expect(screen()).toContain('モデル「article」: 6 件')
})

it('the interactive mode does not ask for the token if a proxy refuses the request', async () => {
  let isBlocked = true
  bench.standIn.options.fault = () =>
    isBlocked ? { kind: 'page', status: 403, html: 'Forbidden' } : undefined
  const leaveVpn = async () => {
    isBlocked = false
  }
  const { prompter, screen } = personAsked(['demo', 'blog', leaveVpn, '', '\u0003'])
  const asked = askForRuns(prompter, 'ja', [{ ...given(), tokens: { api: bench.standIn.space.tokens.api } }])
  await expect(asked).rejects.toMatchObject({ code: 'interrupted' })
  prompter.close()
  expect(screen()).toContain('サーバーに届く前に断られました（403）')
  expect(screen()).toContain('App「ブログ」が見つかりました')
  expect(screen()).not.toContain(messagesFor('ja').prompts.apiToken)
})

it('the interactive mode continues if the metadata of the app stays unavailable', async () => {
  bench.standIn.options.fault = ({ path }) =>
    path.includes('/space/apps/') ? { kind: 'status', status: 404 } : undefined
  const { api } = bench.standIn.space.tokens
  const { prompter, left } = personAsked([
    'demo',
    'blog',
    api,
    '',
    '',
    '',
    'article',
    '',
    join(bench.folder, 'out'),
    '',
    '',
    '',
  ])
  const [options] = await askForRuns(prompter, 'ja', [given()])
  prompter.close()
  expect(left).toEqual([])
  expect(options).toMatchObject({ app: 'blog', models: ['article'] })
})

it('the interactive mode proposes a new name for a used folder, and offers to resume an unfinished run', async () => {
  const { api } = bench.standIn.space.tokens
  const done = join(bench.folder, 'newt-demo-blog')
  await rescueAndVerify(optionsFor(bench.standIn, done, { models: ['category', 'author'] }))
  const { prompter, left } = personAsked(['demo', 'blog', '', 'article', '', done, '', '', '', ''])
  const [options] = await askForRuns(prompter, 'ja', [{ ...given(), tokens: { api } }])
  prompter.close()
  expect(left).toEqual([])
  expect(options?.out).toBe(`${done}-2`)

  bench.standIn.options.fault = ({ path }) =>
    path.includes('wide.png') ? { kind: 'status', status: 500 } : undefined
  const { manifest } = await rescueAndVerify(optionsFor(bench.standIn, `${done}-2`))
  expect(manifest.status).toBe('partial')
  const again = personAsked([''])
  const [offered] = await offerUnfinished(again.prompter, 'ja', given(), bench.folder)
  again.prompter.close()
  expect(offered).toMatchObject({ space: 'demo', app: 'blog', models: ['article'], out: 'newt-demo-blog-2' })
})

it('the interactive mode offers to fetch only the remaining files of an unfinished run if the API fails', async () => {
  const out = join(bench.folder, 'newt-demo-blog')
  bench.standIn.options.fault = ({ path }) =>
    path.includes('wide.png') ? { kind: 'status', status: 503 } : undefined
  await rescueAndVerify(optionsFor(bench.standIn, out))
  bench.standIn.options.fault = ({ view }) => (view === 'asset' ? undefined : { kind: 'status', status: 410 })
  const { api, cdn } = bench.standIn.space.tokens
  const unfinished = { ...given(), space: 'demo', app: 'blog', models: ['article'], out }
  for (const answers of [
    [api, '', '', '', '', ''],
    ['', '', '', '', ''],
  ]) {
    const { prompter, screen, left } = personAsked(answers)
    const [run] = await askForRuns(prompter, 'ja', [{ ...unfinished, tokens: { api: '', cdn } }])
    prompter.close()
    expect(left).toEqual([])
    expect(screen()).toContain('まだ取れていない画像・ファイルだけを取りにいきますか')
    expect(run).toMatchObject({ app: 'blog', models: ['article'], out })
  }
  // Input while the server was unreachable does not change the space of the unfinished run.
  const lost = personAsked([api, 'mistake', '', '', '', ''])
  const unreachable = { ...unfinished, origin: 'http://127.0.0.1:9' }
  const [run] = await askForRuns(lost.prompter, 'ja', [unreachable])
  lost.prompter.close()
  expect([run?.space, lost.left]).toEqual(['demo', []])
  const both = personAsked([api, '', '', '', '', '', '', ''])
  const other = join(bench.folder, 'newt-demo-other')
  await cp(out, other, { recursive: true })
  const proposals = [unfinished, { ...unfinished, app: 'other', out: other }]
  const runs = await askForRuns(both.prompter, 'ja', proposals)
  both.prompter.close()
  expect(runs.map(({ app }) => app)).toEqual(['blog', 'other'])
})

it('`askForRuns` throws `interrupted` on Ctrl-C and Ctrl-D during the input of a token', async () => {
  for (const keys of ['\u0003', '\u0004']) {
    const { prompter, input, screen } = personAsked(['demo', 'blog'])
    const asked = askForRuns(prompter, 'en', [given()])
    const isInterrupted = expect(asked).rejects.toMatchObject({ code: 'interrupted' })
    await expect.poll(screen).toContain(messagesFor('en').prompts.apiToken)
    input.write(keys)
    await isInterrupted
    prompter.close()
  }
})
