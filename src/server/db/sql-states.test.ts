import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { hasState, isNotNow, isRefusedValue, isTransient } from './sql-states.ts'

const server = fileURLToPath(new URL('../', import.meta.url))

it('database errors are classified as transient, temporary, or caused by a value', () => {
  const judge = (error: unknown) => [isTransient(error), isNotNow(error), isRefusedValue(error)]
  expect(judge({ code: '40P01' })).toEqual([true, true, false])
  expect(judge({ code: '57014' })).toEqual([false, true, false])
  expect(judge({ code: 'ECONNREFUSED' })).toEqual([false, true, false])
  expect(judge(new Error('Connection terminated unexpectedly'))).toEqual([false, true, false])
  expect(judge({ code: '22P02' })).toEqual([false, false, true])
  expect(judge({ code: '42601' })).toEqual([false, false, false])
  for (const nothing of [null, undefined, 'text', {}]) expect(judge(nothing)).toEqual([false, false, false])
  expect(hasState({ code: '23505' }, 'uniqueViolation')).toBe(true)
  expect(hasState({ code: '23505' }, 'foreignKeyViolation', 'diskFull')).toBe(false)
})

it('no server source file except sql-states.ts contains a quoted error code of PostgreSQL', async () => {
  const code = /'(?:0[038A]|2[0-9BDF]|3[0-9BDF]|4[0-24]|5[3-8]|F0|HV|P0|XX)[0-9A-Z]{3}'/
  const files = (await readdir(server, { recursive: true })).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
  )
  const spelling: string[] = []
  for (const file of files) if (code.test(await readFile(join(server, file), 'utf8'))) spelling.push(file)
  expect(spelling).toEqual([join('db', 'sql-states.ts')])
})
