import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'
import { withDatabase } from './database-names.ts'
import { builtServer, freePort } from './process.ts'

/**
 * The built Imori on a free port with temporary data, or on a scratch database of DATABASE_URL's server.
 * Prints its URL and cleans up when stdin closes, which happens however the tests end.
 */
async function main(): Promise<void> {
  const bundle = builtServer()
  const dataDir = await mkdtemp(join(tmpdir(), 'imori-app-'))
  const url = process.env.DATABASE_URL
  const scratch = `imori_app_${randomBytes(6).toString('hex')}`
  if (url) await query(url, `CREATE DATABASE ${scratch} ENCODING 'UTF8' TEMPLATE template0`)
  try {
    await serve(bundle, {
      IMORI_LOG_LEVEL: 'warn',
      // Browser tests sign up as often as they like.
      IMORI_SIGNUP: 'open',
      ...process.env,
      IMORI_DATA: dataDir,
      IMORI_PORT: String(await freePort()),
      ...(url ? { DATABASE_URL: String(withDatabase(url, scratch)) } : {}),
    })
  } finally {
    if (url) await query(url, `DROP DATABASE IF EXISTS ${scratch} WITH (FORCE)`)
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function serve(bundle: string, env: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn(process.execPath, [bundle], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const exit = once(child, 'exit')
  createInterface({ input: child.stdout }).on('line', (line) => {
    const ready = /^Imori is ready: (.*)$/.exec(line)
    console.log(ready ? JSON.stringify({ url: ready[1] }) : line)
  })
  const unwanted = new Promise((resolve) => process.stdin.on('end', resolve).on('error', resolve).resume())
  await Promise.race([unwanted, exit])
  child.kill('SIGTERM')
  await exit
}

async function query(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(sql)
  await client.end()
}

// The terminal's Ctrl-C is for the test runner; we end when our stdin closes.
process.on('SIGINT', () => {})
// Whoever read our output is gone; there is still a server to stop.
process.stdout.on('error', () => {})
await main()
