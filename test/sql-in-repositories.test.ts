import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

/*
 * A feature's SQL is in its `*.repository.ts` files, so that use cases read as a list of steps and each statement has a
 * name.
 */

const features = fileURLToPath(new URL('../src/server/features/', import.meta.url))

const sql = /\bsql(?:<[^`]*>)?`|\.(?:selectFrom|insertInto|updateTable|deleteFrom)\(/

it('TypeScript code of server features contains SQL only in repository files and tests', () => {
  const files = readdirSync(features, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !/\.(?:repository|test)\.ts$/.test(file),
  )
  expect(files.length).toBeGreaterThan(200)
  expect(files.filter((file) => sql.test(readFileSync(join(features, file), 'utf8')))).toEqual([])
})
