import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

test('server and shared code call .normalize() only in unicode.ts and tests', async () => {
  const source = fileURLToPath(new URL('../src', import.meta.url))
  const raw: string[] = []
  for (const room of ['server', 'shared'])
    for (const name of await readdir(join(source, room), { recursive: true })) {
      if (!name.endsWith('.ts') || name.endsWith('.test.ts') || name === 'unicode.ts') continue
      if (/\.normalize\(/.test(await readFile(join(source, room, name), 'utf8'))) raw.push(`${room}/${name}`)
    }
  expect(raw).toEqual([])
})
