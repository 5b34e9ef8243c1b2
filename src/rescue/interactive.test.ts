import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { sampleSpace } from '#test/newt-stand-in/sample-space.ts'
import { type StandIn, startStandIn } from '#test/newt-stand-in/server.ts'
import { parseCommand } from './cli.ts'
import { askForRuns, chooseLanguage, offerUnfinished } from './interactive.ts'
import { messagesFor } from './messages.ts'
import { Prompter } from './prompt.ts'
import { optionsFor, rescueAndVerify, temporaryFolder } from './testing/helpers.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let standIn: StandIn
beforeEach(async () => {
  folder = await temporaryFolder()
  standIn = await startStandIn(sampleSpace())
})
afterEach(async () => {
  await standIn.close()
  await folder.remove()
})

/** A person at a terminal: types the next answer whenever a question stands there. */
function person(answers: string[]) {
  const input = new PassThrough()
  const output = new PassThrough()
  let screen = ''
  let waiting = ''
  output.setEncoding('utf8').on('data', (text: string) => {
    screen += text
    waiting += text
    if (!stripVTControlCharacters(waiting).endsWith('> ')) return
    waiting = ''
    const answer = answers.shift()
    if (answer !== undefined) setImmediate(() => input.write(`${answer}\r`))
  })
  const prompter = new Prompter(
    input as unknown as NodeJS.ReadStream,
    output as unknown as NodeJS.WriteStream,
  )
  return { prompter, input, screen: () => screen, left: answers }
}

const given = () => {
  const command = parseCommand(['--origin', standIn.origin], {})
  if (command.name !== 'ask') throw new Error('unexpected')
  return command.options
}

it.each(['ja', 'en'] as const)('leads a new user past every mistake, in %s', async (language) => {
  const { api, cdn } = standIn.space.tokens
  const out = join(folder.path, 'out')
  const file = join(folder.path, 'file')
  await writeFile(file, 'x')
  const { prompter, screen, left } = person([
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
    text.prompts.found('ブログ'),
    text.prompts.modelFound('article', 6),
  ]) {
    expect(screen()).toContain(sentence)
  }
  for (const secret of [api, cdn, 'wrong-token', 'wrong-cdn-token']) expect(screen()).not.toContain(secret)
})

it('knows a CDN token given for an API token, and keeps it for where it belongs', async () => {
  const { api, cdn } = standIn.space.tokens
  const out = join(folder.path, 'out')
  const { prompter, screen, left } = person([
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

it('goes on without the meta of an app that keeps refusing it', async () => {
  standIn.options.fault = ({ path }) =>
    path.includes('/space/apps/') ? { kind: 'status', status: 404 } : undefined
  const { api } = standIn.space.tokens
  const { prompter, left } = person([
    'demo',
    'blog',
    api,
    '',
    '',
    '',
    'article',
    '',
    join(folder.path, 'out'),
    '',
    '',
    '',
  ])
  const [options] = await askForRuns(prompter, 'ja', [given()])
  prompter.close()
  expect(left).toEqual([])
  expect(options).toMatchObject({ app: 'blog', models: ['article'] })
})

it('proposes a new name for a folder that is taken, and goes on where a run stopped', async () => {
  const { api } = standIn.space.tokens
  const done = join(folder.path, 'newt-demo-blog')
  await rescueAndVerify(optionsFor(standIn, done, { models: ['category', 'author'] }))
  const { prompter, left } = person(['demo', 'blog', '', 'article', '', done, '', '', '', ''])
  const [options] = await askForRuns(prompter, 'ja', [{ ...given(), tokens: { api } }])
  prompter.close()
  expect(left).toEqual([])
  expect(options?.out).toBe(`${done}-2`)

  standIn.options.fault = ({ path }) =>
    path.includes('wide.png') ? { kind: 'status', status: 500 } : undefined
  const { manifest } = await rescueAndVerify(optionsFor(standIn, `${done}-2`))
  expect(manifest.status).toBe('partial')
  const again = person([''])
  const [offered] = await offerUnfinished(again.prompter, 'ja', given(), folder.path)
  again.prompter.close()
  expect(offered).toMatchObject({ space: 'demo', app: 'blog', models: ['article'], out: 'newt-demo-blog-2' })
})

it('stops at Ctrl-C and Ctrl-D, also while a token is typed', async () => {
  for (const keys of ['\u0003', '\u0004']) {
    const { prompter, input } = person(['demo', 'blog'])
    const asked = askForRuns(prompter, 'en', [given()])
    setTimeout(() => input.write(keys), 100)
    await expect(asked).rejects.toMatchObject({ code: 'interrupted' })
    prompter.close()
  }
})
