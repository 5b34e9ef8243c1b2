import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#test/database.ts'
import { type Database, openDatabase } from './connection.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** TypeScript that derives the facts of each column from tables.ts (`Facts`). */
const declarations = `import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Tables } from './tables.ts'
type Family<Out, In> = [Out] extends [string] ? 'string' : [Out] extends [number] ? 'number'
  : [Out] extends [boolean] ? 'boolean' : [Out] extends [Date] ? 'Date' : [Out] extends [Buffer] ? 'Buffer'
  : [Out] extends [string[]] ? 'string[]' : [Out] extends [number[]] ? 'number[]'
  : [In] extends [string | null | undefined] ? 'json' : 'none that is known'
type At<T, C> = C extends keyof T ? T[C] : 'not declared'
type Facts<T, C, Table = At<Tables, T>, In = At<Insertable<Table>, C>> = {
  family: Family<NonNullable<At<Selectable<Table>, C>>, In>
  nullable: null extends At<Updateable<Table>, C> ? true : false
  optional: undefined extends In ? true : false
}
type Fits<A, B> = [A] extends [B] ? true : A
type Same<A, B> = [B] extends [A] ? Fits<A, B> : A
type Columns<T> = T extends keyof Tables ? keyof Tables[T] : never
`

/** The TypeScript types that the driver returns for PostgreSQL's types (db/connection.ts). */
const families: Record<string, string> = {
  text: 'string',
  bool: 'boolean',
  int2: 'number',
  int4: 'number',
  int8: 'number',
  float4: 'number',
  float8: 'number',
  timestamptz: 'Date',
  date: 'string',
  bytea: 'Buffer',
  uuid: 'string',
  json: 'json',
  jsonb: 'json',
  _text: 'string[]',
  _int4: 'number[]',
}

interface Column {
  table: string
  column: string
  type: string
  nullable: boolean
  optional: boolean
}

let database: Database
let testDatabase: TestDatabase
let folder: string
beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = await openDatabase(testDatabase.connection)
  folder = await mkdtemp(join(tmpdir(), 'imori-tables-'))
})
afterAll(async () => {
  await database?.close()
  await testDatabase?.drop()
  await rm(folder, { recursive: true, force: true })
})

/** Returns the columns of all tables, except partitions and the list of migrations. */
async function readColumns(): Promise<Column[]> {
  const { rows } = await database.pool.query<Column>(
    `SELECT table_name AS table, column_name AS column, udt_name AS type, is_nullable = 'YES' AS nullable,
        is_nullable = 'YES' OR column_default IS NOT NULL OR is_identity = 'YES' AS optional
      FROM information_schema.columns
      JOIN pg_class ON pg_class.oid = format('%I.%I', table_schema, table_name)::regclass
      WHERE table_schema = 'public' AND NOT relispartition AND relkind IN ('r', 'p') AND table_name <> 'migration'
      ORDER BY table_name, ordinal_position`,
  )
  return rows
}

const union = (names: Iterable<string>) => [...names].map((name) => `'${name}'`).join(' | ')

/**
 * Returns one line of TypeScript per fact of the database. A line compiles if tables.ts agrees, and ends with the name
 * of the column.
 */
function toChecks(columns: Column[]): string[] {
  const tables = new Set(columns.map(({ table }) => table))
  const columnsOf = (table: string) => columns.filter((one) => one.table === table).map((one) => one.column)
  return [
    `true satisfies Same<keyof Tables, ${union(tables)}> // tables`,
    ...[...tables].map(
      (table) => `true satisfies Same<Columns<'${table}'>, ${union(columnsOf(table))}> // ${table}`,
    ),
    ...columns.map(({ table, column, type, nullable, optional }) => {
      // Code may be stricter than the database and require a value for a column with a default.
      const facts = `{ family: '${families[type] ?? type}'; nullable: ${nullable}; optional: ${optional ? 'boolean' : false} }`
      return `true satisfies Fits<Facts<'${table}', '${column}'>, ${facts}> // ${table}.${column}`
    }),
  ]
}

/** Returns the differences between the database and tables.ts, after `edit` is applied to tables.ts. */
async function findDrift(edit: (tables: string) => string = (tables) => tables): Promise<string[]> {
  const program = declarations + toChecks(await readColumns()).join('\n')
  const tables = await readFile(join(root, 'src/server/db/tables.ts'), 'utf8')
  await writeFile(join(folder, 'tables.ts'), edit(tables))
  await writeFile(join(folder, 'check.ts'), program)
  await copyFile(join(root, 'tsconfig.base.json'), join(folder, 'tsconfig.base.json'))
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      extends: './tsconfig.base.json',
      compilerOptions: {
        lib: ['ES2024'],
        types: ['node'],
        typeRoots: [join(root, 'node_modules/@types')],
        noUnusedLocals: false,
        paths: {
          '#shared/*': [join(root, 'src/shared/*')],
          kysely: [join(root, 'node_modules/kysely')],
          zod: [join(root, 'node_modules/zod')],
        },
      },
      files: ['check.ts'],
    }),
  )
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const options = ['-p', folder, '--pretty', 'false', '--singleThreaded']
  const output = await promisify(execFile)(process.execPath, [tsc, ...options]).then(
    ({ stdout }) => stdout,
    (error: { stdout: string }) => error.stdout,
  )
  const lines = program.split('\n')
  return output
    .split('\n')
    .filter((line) => /error TS/.test(line))
    .map((line) => {
      const place = /^(?:.*\/)?check\.ts\((\d+),/.exec(line)
      // Errors outside check.ts are not drift and are returned unchanged.
      return lines[Number(place?.[1]) - 1]?.split(' // ')[1] ?? line
    })
}

it('tables.ts declares every table and column of the migrated database with its type', async () => {
  const columns = await readColumns()
  expect(columns.length).toBeGreaterThan(150)
  expect(await findDrift()).toEqual([])
})

it('nine inserted differences between tables.ts and the database are found', { tags: ['full'] }, async () => {
  const drifts: Record<string, [string, string]> = {
    account: ['  email: string\n', '  email: string\n  nickname: string\n'],
    'attempt.count': ['  count: number\n', '  count: Date\n'],
    'document.draft': ['  draft: NullableJson<', '  draft: Json<'],
    'model.fields': ['  fields: Json<Field[]>', '  fields: Field[]'],
    'session.csrf_token': ['  csrf_token: string', '  csrf_token: Defaulted<string>'],
    'session.id_hash': ['  id_hash: Buffer', '  id_hash: string'],
    'token.app_ids': ['  app_ids: number[] | null', '  app_ids: string[] | null'],
    'token.last_used_at': ['  last_used_at: Date | null', '  last_used_at: Date'],
    tables: ['  field_index: FieldIndexTable\n', ''],
  }
  const found = await findDrift((tables) =>
    Object.values(drifts).reduce((text, [from, to]) => {
      expect(text).toContain(from)
      return text.replace(from, to)
    }, tables),
  )
  const withoutTable = found.filter((name) => !name.startsWith('field_index'))
  expect(withoutTable.sort()).toEqual(Object.keys(drifts).sort())
})
