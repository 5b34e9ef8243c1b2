/** @module-tag full */
import { mkdir, readdir, readFile, rename, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { sentenceFor } from '#rescue/messages/messages.ts'
import { all, freshBench } from '#rescue/testing/bench.ts'
import { optionsFor, recorder, rescueAndVerify } from '#rescue/testing/helpers.ts'
import { ids, sampleSpace } from '#test/newt-stand-in/sample-space.ts'
import type { StandInOptions } from '#test/newt-stand-in/server.ts'
import { addAsset, addContent, idOf } from '#test/newt-stand-in/space.ts'
import { rescue } from './rescue.ts'

const bench = freshBench()

/** Leaves an unfinished run in the folder. The next run can complete it. */
async function unfinished(options: StandInOptions = {}): Promise<void> {
  let broken = true
  await bench.serve(sampleSpace(), {
    ...options,
    fault: (request) =>
      broken && request.path.includes('wide.png')
        ? { kind: 'status', status: 500 }
        : options.fault?.(request),
  })
  const { manifest } = await rescueAndVerify(optionsFor(bench.standIn, bench.out, all))
  expect(manifest.status).toBe('partial')
  broken = false
}

async function nextRun() {
  const { reporter, text } = recorder()
  return rescue(optionsFor(bench.standIn, bench.out, all), reporter, text)
}

describe('a folder to which others can write', () => {
  it('is written without following a planted link to a file', async () => {
    await unfinished()
    const victim = join(bench.folder, 'victim.txt')
    await writeFile(victim, 'precious')
    for (const name of ['manifest.json.new', 'report.md.new', 'contents/api/article.ndjson.new']) {
      await symlink(victim, join(bench.out, name))
    }
    const { verification } = await rescueAndVerify(optionsFor(bench.standIn, bench.out, all))
    expect(verification.problems).toEqual([])
    expect(await readFile(victim, 'utf8')).toBe('precious')
  })

  it.each(['.rescue/contents', '.rescue/parts', 'contents', 'assets'])(
    'is rejected when %s is a link to another folder',
    async (name) => {
      await unfinished()
      const elsewhere = join(bench.folder, 'elsewhere')
      await mkdir(elsewhere)
      await rename(join(bench.out, name), join(bench.folder, 'away'))
      await symlink(elsewhere, join(bench.out, name))
      await expect(nextRun()).rejects.toMatchObject({ code: 'folder_not_ours' })
      expect(await readdir(elsewhere)).toEqual([])
    },
  )

  it('is rejected when a data file has become a link', async () => {
    await unfinished()
    const data = join(bench.out, '.rescue/contents/api-article.ndjson')
    const victim = join(bench.folder, 'victim.txt')
    await writeFile(victim, 'precious')
    await rm(data)
    await symlink(victim, data)
    await expect(nextRun()).rejects.toMatchObject({ code: 'folder_not_ours' })
    expect(await readFile(victim, 'utf8')).toBe('precious')
  })

  it('is completed despite a planted journal entry with a path', async () => {
    await unfinished()
    const journal = join(bench.out, '.rescue/journal.ndjson')
    const planted = { t: 'asset', url: 'https://x.example/', sha256: '../../victim', bytes: 1, type: '' }
    await writeFile(journal, `${await readFile(journal, 'utf8')}${JSON.stringify(planted)}\n`)
    const { verification } = await rescueAndVerify(optionsFor(bench.standIn, bench.out, all))
    expect(verification.problems).toEqual([])
  })
})

describe('a folder of an unfinished run', () => {
  it.each(['truncated', 'deleted', 'overwritten'])(
    'is completed by reading a model again if its data file is %s',
    async (damage) => {
      await unfinished()
      const data = join(bench.out, '.rescue/contents/api-article.ndjson')
      if (damage === 'truncated') await truncate(data, 100)
      else if (damage === 'deleted') await rm(data)
      else await writeFile(data, (await readFile(data, 'latin1')).replaceAll('"', ' '), 'latin1')
      const { verification, manifest } = await rescueAndVerify(optionsFor(bench.standIn, bench.out, all))
      expect(verification.problems).toEqual([])
      expect(manifest.counts.contents).toEqual({ api: 10, cdn: 7 })
    },
  )

  it('is used if its lock is old, even if the process named in the lock exists', async () => {
    await unfinished()
    const lock = join(bench.out, '.rescue/lock')
    await writeFile(lock, '1')
    await expect(nextRun()).rejects.toMatchObject({ code: 'folder_in_use' })
    const old = new Date(Date.now() - 600_000)
    await utimes(lock, old, old)
    expect((await nextRun()).manifest.status).toBe('gaps')
  })
})

describe('untrusted data', () => {
  it('controls neither the terminal nor the report', async () => {
    const space = sampleSpace()
    const field = 'x`\n\n<script>alert(1)</script> [a](javascript:b) | \u001b]0;title\u0007\u001b[2J\u202e'
    const target = idOf(0xbad01)
    space.models.set('hidden', new Map())
    addContent(space, 'hidden', { id: target, createdAt: '2024-01-01T00:00:00.000Z', draft: {} })
    const src = 'https://demo.assets.newt.so/v1/0/`\u001b[31m](javascript:alert(1))<img src=x onerror=y>|.png'
    const bytes = Buffer.alloc(1)
    const lost = addAsset(space, {
      id: idOf(0xbad02),
      fileName: 'x',
      fileType: '',
      bytes,
      src,
      width: 1,
      height: 1,
    })
    addContent(space, 'author', {
      id: idOf(0xbad03),
      createdAt: '2024-01-01T00:00:00.000Z',
      draft: { [field]: { $ref: target }, [`${field}.category`]: { $ref: ids.category }, lost },
    })
    space.app.name = '\u001b[2Japp'
    await bench.serve(space, {
      fault: ({ view, path }) =>
        view === 'asset' && path.includes('javascript') ? { kind: 'status', status: 404 } : undefined,
    })
    const { printed, verification } = await rescueAndVerify(
      optionsFor(bench.standIn, bench.out, { models: ['author'] }),
    )
    expect(verification.problems).toEqual([])
    expect(printed).toContain('Found the model "category"')
    expect(printed.replaceAll('\n', '')).not.toMatch(/[\p{Cf}\p{Cc}]/u)
    const report = await readFile(join(bench.out, 'report.md'), 'utf8')
    expect(report).toContain('script')
    expect(report.replaceAll('\n', '')).not.toMatch(/[\p{Cf}\p{Cc}]|<script|<img/u)
    // All untrusted text is in code spans, so there is no link and no markup outside of them.
    const outside = report.replace(/```[\s\S]*?```/g, '').replace(/`[^`\n]*`/g, '')
    expect(outside).not.toMatch(/[`<>]|\]\(|javascript/)
  })

  it('with a token does not appear in errors or output', async () => {
    const statuses = [500, 401, 403, 302, 200]
    for (const status of statuses) {
      await bench.serve(sampleSpace(), {
        fault: () => ({ kind: 'page', status, html: 'Bearer api-token-for-tests' }),
      })
      const { reporter, text, printed } = recorder()
      const error: unknown = await rescue(optionsFor(bench.standIn, bench.out), reporter, text).catch(
        (thrown) => thrown,
      )
      expect(error).toBeInstanceOf(Error)
      const { stack, details } = error as Error & { details: unknown }
      expect(printed() + stack + JSON.stringify(details) + sentenceFor(error, text)).not.toContain(
        'api-token',
      )
      await bench.standIn.close()
    }
  })

  it('makes the archive partial if a response is nested too deeply or unpacks to 100 MB', async () => {
    await bench.serve(sampleSpace())
    const bomb = gzipSync(Buffer.alloc(100_000_000))
    const answers: [string, Buffer | string][] = [
      ['identity', `{"total":1,"items":[${'['.repeat(3_000_000)}`],
      ['identity', `{"total":1,"items":[{"a":${'{"a":'.repeat(1_000_000)}`],
      ['gzip', bomb],
    ]
    for (const [encoding, body] of answers) {
      const server = createServer((request, response) => {
        if (request.url?.includes('/space/apps/')) response.end('{}')
        else response.writeHead(200, { 'content-encoding': encoding }).end(body)
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const { reporter, text } = recorder()
      const options = { ...optionsFor(bench.standIn, bench.out), origin, models: ['article'] }
      const run = rescue(options, reporter, text)
      await expect(run).resolves.toMatchObject({ manifest: { status: 'partial' } })
      server.closeAllConnections()
      server.close()
      await rm(bench.out, { recursive: true, force: true })
    }
  })
})
