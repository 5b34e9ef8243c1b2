import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { openDatabase } from '#server/db/connection.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#server/db/embedded-postgres/start.ts'
import { migrate } from '#server/db/migrate.ts'
import { migrateQueue } from '#server/jobs/queue-schema.ts'
import { Content } from '../test/content-fixtures.ts'
import { type Blog, fill } from './content.ts'
import { bodyBytes, dataFolder, documents, moveToBackEnd } from './options.ts'

export interface BenchDatabase {
  postgres: EmbeddedPostgres
  blog: Blog & { token: string }
  /** Pid of the postmaster of PostgreSQL. */
  postmaster: number
  /** Stops PostgreSQL and removes temporary files. */
  close(): Promise<void>
}

/**
 * Creates the blog unless an earlier run has kept it. Then starts PostgreSQL. PostgreSQL and this process run on the
 * back end's cores.
 */
export async function openBench(): Promise<BenchDatabase> {
  const folder = dataFolder ? resolve(dataFolder) : mkdtempSync(join(tmpdir(), 'imori-bench-'))
  mkdirSync(folder, { recursive: true })
  const options = { dataDir: folder, log: console.warn }
  const written = join(folder, `blog-${documents}-${bodyBytes}.json`)
  if (!existsSync(written)) {
    console.log(`Writing ${documents} articles …`)
    const filling = await startEmbeddedPostgres(options)
    const database = await openDatabase(filling.connection)
    await migrate(database)
    await migrateQueue(database)
    const content = new Content(database.pool)
    const blog = await fill(content, documents, bodyBytes)
    const token = await content.token(blog.spaceId, 'cdn')
    await database.close()
    await filling.stop()
    writeFileSync(written, JSON.stringify({ ...blog, token }))
  }
  moveToBackEnd()
  const postgres = await startEmbeddedPostgres(options)
  // A folder of an earlier run may have an older schema.
  const database = await openDatabase(postgres.connection)
  await migrate(database)
  await database.close()
  return {
    postgres,
    blog: JSON.parse(readFileSync(written, 'utf8')),
    postmaster: Number(readFileSync(join(folder, 'database/postmaster.pid'), 'utf8').split('\n')[0]),
    close: async () => {
      await postgres.stop()
      if (!dataFolder) rmSync(folder, { recursive: true, force: true })
    },
  }
}
