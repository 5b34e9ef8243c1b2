import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { temporaryFolder } from '#rescue/testing/helpers.ts'
import { Journal, type JournalEntry } from './journal.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeAll(async () => {
  folder = await temporaryFolder()
})
afterAll(() => folder.remove())

const entries: JournalEntry[] = [
  { t: 'start', space: 's', app: 'a', origin: '', at: '2026-01-01' },
  { t: 'missing', url: 'https://例え.jp/\n', reason: '404' },
  { t: 'asset', url: 'https://x/y', sha256: 'ab'.repeat(32), bytes: 3, type: '' },
]

it('a journal restores complete entries and appends new ones after a crash at any byte', async () => {
  const path = join(folder.path, 'journal')
  const journal = await Journal.open(path, () => {})
  await Promise.all(entries.map((entry) => journal.append(entry)))
  await journal.sync()
  await journal.close()
  const whole = await readFile(path)
  const added: JournalEntry = { t: 'probe', key: 'later' }
  for (let length = 0; length <= whole.length; length++) {
    await writeFile(path, whole.subarray(0, length))
    const complete = whole.subarray(0, length).toString('utf8').split('\n').length - 1
    const found: JournalEntry[] = []
    const reopened = await Journal.open(path, (entry) => found.push(entry))
    expect(found).toEqual(entries.slice(0, complete))
    await reopened.append(added)
    await reopened.close()
    const again: JournalEntry[] = []
    await (await Journal.open(path, (entry) => again.push(entry))).close()
    expect(again).toEqual([...entries.slice(0, complete), added])
  }
})

it('`Journal.open` restores only the entries before an invalid entry', async () => {
  const path = join(folder.path, 'strange')
  await writeFile(
    path,
    `${JSON.stringify(entries[0])}\n{"t":"asset","url":1}\n${JSON.stringify(entries[2])}\n`,
  )
  const found: JournalEntry[] = []
  await (await Journal.open(path, (entry) => found.push(entry))).close()
  expect(found).toEqual([entries[0]])
})
