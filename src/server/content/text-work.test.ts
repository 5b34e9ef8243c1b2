import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { matches } from '#server/lib/patterns.ts'
import { WorkerEnded, WorkTookTooLong, WorkTooLarge } from '#server/lib/worker-errors.ts'
import { createWorkerPool } from '#server/lib/worker-pool.ts'
import { fieldSchema } from '#shared/fields/index.ts'
import { removalsOf } from '#shared/html-removals.ts'
import { newId } from '#shared/identifiers.ts'
import { createAccount, createApp, createModel, createSpace } from '#test/factories.ts'
import { longestHold, ownTimeOf } from '#test/loop-delay.ts'
import { type Answer, type Client, ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { renderMarkdown, sanitizeRichText } from './html.ts'
import { receiveValues } from './recognition/receive.ts'
import { createTextWork, textWorker } from './text-work.ts'

/**
 * Expects that a request blocks the event loop for less than a third of the time that its work takes synchronously.
 * Other processes can only lengthen a block, so one of several attempts has to succeed. Each attempt must use a new
 * text.
 */
async function expectShortHold<Result>(
  atOnce: () => unknown,
  request: (attempt: number) => Promise<Result>,
  prepare: (attempt: number) => Promise<void> = async () => {},
): Promise<Result> {
  for (let attempt = 0; ; attempt++) {
    await prepare(attempt)
    const alone = ownTimeOf(atOnce)
    const { held, result: answer } = await longestHold(() => request(attempt))
    if (held < alone / 3 || attempt === 7) {
      expect(held).toBeLessThan(alone / 3)
      return answer
    }
  }
}

/**
 * Repeats a request if its work exceeded the time limit in a worker process, because other processes used the cores.
 */
async function withTime(request: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 0; ; tries++) {
    const answer = await request()
    const ranOut = answer.body?.issues?.some(({ code }: { code: string }) => code === 'TooComplex')
    if (!ranOut || tries === 4) return answer
  }
}

describe('the event loop', { tags: ['full'] }, () => {
  let installation: TestInstallation
  let client: Client
  const many = Array.from({ length: 110 }, (_, index) => `h${index}`)
  let docs: string
  let manyDocs: string
  let delivered: string
  let headers: Record<string, string>

  beforeAll(async () => {
    installation = await startInstallation()
    client = (await createAccount(installation)).client
    const space = await createSpace(client)
    const app = await createApp(client, space)
    const model = await createModel(client, app, 'texts', [
      { uid: 'title', name: '題', type: 'TEXT', unique: true },
      { uid: 'body', name: '本文', type: 'RICH_TEXT' },
      { uid: 'memo', name: 'メモ', type: 'MARKDOWN' },
      { uid: 'codes', name: '符号', type: 'TEXT', multiple: true, pattern: '(?:.?){1000}$' },
    ])
    docs = `${model.url}/doc`
    const wide = await createModel(client, app, 'wide', [
      { uid: 'title', name: '題', type: 'TEXT' },
      ...many.map((uid) => ({ uid, name: uid, type: 'RICH_TEXT' as const })),
    ])
    manyDocs = `${wide.url}/doc`
    delivered = `/v1/${app.uid}/texts`
    const { cdnToken } = ok(await client.post(`${space.url}/cdnToken`, { data: { name: 'site' } }))
    headers = { authorization: `Bearer ${cdnToken.token}` }
  })
  afterAll(() => installation?.close())

  it('is blocked for less than a third of the normalization time when 40,000 combining marks are saved', async () => {
    const marks = (count: number, start = 'a') => `${start}${'\u0301\u0316'.repeat(count / 2)}`
    const alone = () => marks(40_000).normalize('NFKC')
    const save = (title: string) => client.post(docs, { document: { title }, type: 'PUBLISH' })
    ok(await expectShortHold(alone, (attempt) => save(marks(40_000, `new ${attempt} `))))
    ok(await save(marks(40_000)))
    const twice = await expectShortHold(alone, () => save(marks(40_000)))
    expect(twice.body.issues).toEqual([{ path: 'title', code: 'DuplicatedValue' }])
    for (const query of ['title', 'search'])
      await expectShortHold(alone, (attempt) => client.get(`${docs}?${query}=${marks(10_000 + 2 * attempt)}`))
  })

  it('is blocked for less than a third of the processing time when HTML is saved', async () => {
    const body = (attempt: number) => `${attempt}${'<p>'.repeat(50_000)}${'<b>字</b>&'.repeat(30_000)}`
    const alone = () => sanitizeRichText(body(0))
    const save = (attempt: number) =>
      withTime(() => client.post(docs, { document: { title: `html ${attempt}`, body: body(attempt) } }))
    ok(await expectShortHold(alone, save))
  })

  it('a read finishes before the first of 14 concurrent saves of large HTML succeeds', async () => {
    const body = '<b>'.repeat(60_000)
    // Saves that wait for a worker process must not occupy all database connections. Otherwise the read would wait for
    // one of the saves. Attempts repeat because other processes may delay the read.
    for (let attempt = 0, isFirst = false; !isFirst; attempt++) {
      let saved = 0
      const saves = Array.from({ length: 14 }, async () => {
        const { status } = await client.post(docs, { document: { title: 'html', body } })
        if (status === 200) saved++
        return status
      })
      ok(await client.get('/api/project'))
      isFirst = saved === 0
      expect(new Set(await Promise.all(saves))).toEqual(new Set([200, 503]))
      if (attempt === 7) expect(isFirst).toBe(true)
    }
    ok(await client.post(docs, { document: { title: 'html', body } }))
  })

  it('is blocked for less than a third of the processing time when many HTML fields are saved', async () => {
    const part = '<q>字</q>'.repeat(800)
    const document = { title: 'many', ...Object.fromEntries(many.map((uid) => [uid, part])) }
    const answer = await expectShortHold(
      () => many.map(() => sanitizeRichText(part)),
      () => withTime(() => client.post(manyDocs, { document })),
    )
    expect(ok(answer).document.h0).toBe(part)
  })

  it.each(['RICH_TEXT', 'MARKDOWN'] as const)(
    'is blocked for less than a third of the processing time when receiveValues converts HTML to %s',
    async (type) => {
      const cells = `<table><tr>${'<td align="char">x</td>'.repeat(40_000)}</tr></table>`
      const field = fieldSchema.parse({ _id: newId(), uid: 'body', name: '本文', type })
      const origin = { asset: () => undefined, document: () => undefined }
      const { changes } = await expectShortHold(
        () => removalsOf(cells),
        () => receiveValues([{ from: 'body', field }], { body: cells }, origin),
      )
      expect(changes).toEqual([{ path: 'body', code: 'htmlRemoved', kind: '<td align>' }])
    },
  )

  it('is blocked for less than a third of the processing time when Markdown is read', async () => {
    const memo = (name: string) => `${'> '.repeat(95)}${name}\n${'b\n'.repeat(30_000)}`
    const alone = () => renderMarkdown(memo('a'))
    const readings: ((id: string) => Promise<Answer>)[] = [
      (id) => client.get(`${delivered}/${id}`, headers),
      (id) => client.get(`${delivered}?_id=${id}`, headers),
      (id) => client.get(`${docs}/${id}/api`),
    ]
    for (const [way, reading] of readings.entries()) {
      // Each attempt publishes a new text, because rendered texts are cached.
      let id = ''
      const publish = async (attempt: number) => {
        const document = { title: `markdown ${way} ${attempt}`, memo: memo(`${way} ${attempt}`) }
        id = ok(await client.post(docs, { document, type: 'PUBLISH' })).document._id
      }
      const answer = await expectShortHold(alone, () => reading(id), publish)
      expect(answer.text).toContain(JSON.stringify('<blockquote>\n'.repeat(32)).slice(1, -1))
    }
  })

  it('is blocked for less than a third of the processing time when a large pattern checks texts', async () => {
    const codes = Array.from({ length: 2 }, (_, index) => `${index}`.repeat(4_900))
    const answer = await expectShortHold(
      () => codes.map((code) => matches('(?:.?){1000}$', code)),
      (attempt) => client.post(docs, { document: { title: `patterns ${attempt}`, codes }, type: 'PUBLISH' }),
    )
    expect(ok(answer).document.codes).toEqual(codes)
    const tooLong = await client.post(docs, {
      document: { title: 'too long', codes: ['short', 'x'.repeat(50_000)] },
      type: 'PUBLISH',
    })
    expect(tooLong.body.issues).toEqual([{ path: 'codes.1', code: 'InvalidValue' }])
  })
})

describe('createTextWork', () => {
  const failing = (error: Error) => createTextWork({ run: () => Promise.reject(error) })
  const hurried = failing(new WorkTookTooLong())
  const large = 'あ <b>い</b>\n\n'.repeat(1_000)
  /** HTML that is not plain (plain-html.ts), so that the parser runs. */
  const styled = large.replaceAll('<b>', '<b class="x">')
  const pattern = '(?:.?){1000}$'

  it('processes small texts and simple patterns without a worker process', async () => {
    expect(hurried.toHtml('**a**')).toBe('<p><strong>a</strong></p>\n')
    expect(await hurried.toRichText('<b onclick="x">a</b>')).toBe('<b>a</b>')
    expect(await hurried.findRemovals('<b onclick="x">a</b>')).toEqual(new Map([['<b onclick>', 1]]))
    expect(await hurried.checkWithPatterns(({ matches }) => matches('^a+$', 'a'.repeat(50_000)))).toBe(true)
  })

  it('returns correct conversions and checks of large texts with a worker pool', async () => {
    const { toHtml, toRichText, findRemovals, checkWithPatterns } = createTextWork(
      createWorkerPool({ entry: textWorker }),
    )
    const html = toHtml(large)
    expect(toHtml(large)).toBe(html) // the second caller waits for the same work
    expect(await html).toBe(renderMarkdown(large))
    expect(toHtml(large)).toBe(await html)
    expect(await toRichText(styled)).toBe(sanitizeRichText(styled))
    const fonts = '<font>あ</font>'.repeat(1_000)
    expect(await findRemovals(fonts)).toEqual(new Map([['<font>', 1_000]]))
    const values = ['x'.repeat(400), 'x'.repeat(4_000), 'x', 'x'.repeat(5_100), 'x'.repeat(4_000)]
    expect(await checkWithPatterns(({ matches }) => values.map((value) => matches(pattern, value)))).toEqual([
      true,
      true,
      true,
      false,
      true,
    ])
  })

  it('treats further values as not matching once a large pattern has reached the step limit', async () => {
    const { checkWithPatterns } = createTextWork(createWorkerPool({ entry: textWorker }))
    const values = Array.from({ length: 4 }, (_, index) => `${index}`.repeat(4_900))
    const found = await checkWithPatterns(({ matches }) => values.map((value) => matches(pattern, value)))
    expect(found).toEqual([true, true, false, false])
  })

  it('uses a worker process for short texts with many addresses or unclosed tags', async () => {
    const open = ' <b>'.repeat(2_000)
    await expect(hurried.toRichText(open)).rejects.toThrow(WorkTooLarge)
    await expect(hurried.toEmbedCode(open)).rejects.toThrow(WorkTooLarge)
    expect(await hurried.toHtml(open)).toContain('&lt;b&gt;')
    const urls = hurried.toHtml(',http://a'.repeat(120))
    expect(urls).toBeInstanceOf(Promise)
    expect(await urls).toContain(',http://a')
    const few = '<b class="x">い</b>'.repeat(200)
    expect(await hurried.toRichText(few)).toBe(sanitizeRichText(few))
    // Plain HTML needs no parser, even with many tags.
    const plain = '<b>い</b>'.repeat(800)
    expect(await hurried.toRichText(plain)).toBe(plain)
  })

  it('rejects conversions with ServiceUnavailable if the worker process ends', async () => {
    const killed = failing(new WorkerEnded())
    const busy = { code: 'ServiceUnavailable' }
    await expect(killed.toRichText(styled)).rejects.toMatchObject(busy)
    await expect(killed.toHtml(large)).rejects.toMatchObject(busy)
    const conversion = killed.convertWithMarkdown(({ renderMarkdown: render }) => render(large))
    await expect(conversion).rejects.toMatchObject(busy)
  })

  it('throws WorkTooLarge or returns a fallback if the work takes too long', async () => {
    const hurried = failing(new WorkTookTooLong())
    await expect(hurried.toRichText(styled)).rejects.toThrow(WorkTooLarge)
    expect(await hurried.findRemovals('<font>あ</font>'.repeat(1_000))).toEqual(new Map())
    const html = await hurried.toHtml(large)
    expect(html).toContain('<p>あ &lt;b&gt;い&lt;/b&gt;</p><p>あ &lt;b&gt;')
    expect(hurried.toHtml(large)).toBe(html)
    const converted = hurried.convertWithMarkdown(({ renderMarkdown: render }) => [
      render('*a*'),
      render(large),
    ])
    expect(await converted).toEqual(['<p><em>a</em></p>\n', html])
    const check = hurried.checkWithPatterns(({ matches }) => [
      matches('a', 'a'),
      matches(pattern, 'x'.repeat(4_900)),
    ])
    expect(await check).toEqual([true, false])
  })
})
