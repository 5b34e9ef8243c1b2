import { mkdir, readdir, readFile, rename, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sampleSpace } from '#test/newt-stand-in/sample-space.ts'
import { type StandIn, type StandInOptions, startStandIn } from '#test/newt-stand-in/server.ts'
import { rescue } from './rescue.ts'
import { optionsFor, recorder, rescueAndVerify, temporaryFolder } from './testing/helpers.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let standIn: StandIn
let out: string

beforeEach(async () => {
  folder = await temporaryFolder()
  out = join(folder.path, 'archive')
})
afterEach(async () => {
  await standIn?.close()
  await folder.remove()
})

const all = { models: ['article', 'author', 'category', 'staff-member', 'empty'] }

/** A folder in which a run left something to do, and whose next run finds everything. */
async function unfinished(options: StandInOptions = {}): Promise<void> {
  let broken = true
  standIn = await startStandIn(sampleSpace(), {
    ...options,
    fault: (request) =>
      broken && request.path.includes('wide.png')
        ? { kind: 'status', status: 500 }
        : options.fault?.(request),
  })
  const { manifest } = await rescueAndVerify(optionsFor(standIn, out, all))
  expect(manifest.status).toBe('partial')
  broken = false
}

async function nextRun() {
  const { reporter, text } = recorder()
  return rescue(optionsFor(standIn, out, all), reporter, text)
}

describe('a folder somebody else could write to', () => {
  it('is never written through a planted link to a file', async () => {
    await unfinished()
    const victim = join(folder.path, 'victim.txt')
    await writeFile(victim, 'precious')
    for (const name of ['manifest.json.new', 'report.md.new', 'contents/api/article.ndjson.new']) {
      await symlink(victim, join(out, name))
    }
    const { verification } = await rescueAndVerify(optionsFor(standIn, out, all))
    expect(verification.problems).toEqual([])
    expect(await readFile(victim, 'utf8')).toBe('precious')
  })

  it.each(['.rescue/contents', '.rescue/parts', 'contents', 'assets'])(
    'is refused when %s is a link to another folder',
    async (name) => {
      await unfinished()
      const elsewhere = join(folder.path, 'elsewhere')
      await mkdir(elsewhere)
      await rename(join(out, name), join(folder.path, 'away'))
      await symlink(elsewhere, join(out, name))
      await expect(nextRun()).rejects.toMatchObject({ code: 'folder_not_ours' })
      expect(await readdir(elsewhere)).toEqual([])
    },
  )

  it('is refused when a data file became a link', async () => {
    await unfinished()
    const data = join(out, '.rescue/contents/api-article.ndjson')
    const victim = join(folder.path, 'victim.txt')
    await writeFile(victim, 'precious')
    await rm(data)
    await symlink(victim, data)
    await expect(nextRun()).rejects.toMatchObject({ code: 'folder_not_ours' })
    expect(await readFile(victim, 'utf8')).toBe('precious')
  })

  it('takes no path from a planted journal', async () => {
    await unfinished()
    const journal = join(out, '.rescue/journal.ndjson')
    const planted = { t: 'asset', url: 'https://x.example/', sha256: '../../victim', bytes: 1, type: '' }
    await writeFile(journal, `${await readFile(journal, 'utf8')}${JSON.stringify(planted)}\n`)
    const { verification } = await rescueAndVerify(optionsFor(standIn, out, all))
    expect(verification.problems).toEqual([])
  })
})

describe('a folder that was damaged between two runs', () => {
  it.each(['cut', 'gone', 'scribbled over'])('is read anew where a data file is %s', async (damage) => {
    await unfinished()
    const data = join(out, '.rescue/contents/api-article.ndjson')
    if (damage === 'cut') await truncate(data, 100)
    else if (damage === 'gone') await rm(data)
    else await writeFile(data, (await readFile(data, 'latin1')).replaceAll('"', ' '), 'latin1')
    const { verification, manifest } = await rescueAndVerify(optionsFor(standIn, out, all))
    expect(verification.problems).toEqual([])
    expect(manifest.counts.contents).toEqual({ api: 10, cdn: 7 })
  })

  it('is taken over when its lock is old, whoever has the process number now', async () => {
    await unfinished()
    const lock = join(out, '.rescue/lock')
    await writeFile(lock, '1')
    await expect(nextRun()).rejects.toMatchObject({ code: 'folder_in_use' })
    const old = new Date(Date.now() - 600_000)
    await utimes(lock, old, old)
    expect((await nextRun()).manifest.status).toBe('gaps')
  })
})
