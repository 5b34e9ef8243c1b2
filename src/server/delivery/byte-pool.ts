import { createRequire } from 'node:module'
import type { Duplex } from 'node:stream'
import pg from 'pg'
import { preparingClient } from '#server/db/preparing-client.ts'

/*
 * A pool whose results hold bytes: every character of a text is one byte of its UTF-8. What the delivery API reads it
 * mostly sends on as it came, and turning 100 KB of Japanese into JavaScript's UTF-16 and back costs more than all
 * the rest of an answer together (docs/performance.md). JSON can be parsed and written in this form all the same.
 *
 * pg offers no switch for it, so its parser of messages is told another encoding here. `probe` says whether that
 * worked; where it did not (another version of pg), the pool is one of ordinary text.
 */

interface MessageParser {
  reader: { encoding: string }
  parse(chunk: Buffer, callback: (message: { name: string }) => void): void
}
interface PgConnection {
  attachListeners(stream: Duplex): void
  emit(event: string, message: unknown): void
}

// The very parser that pg uses, wherever it is installed.
const requireFromPg = createRequire(createRequire(import.meta.url).resolve('pg'))
const protocol = loadProtocol()

function loadProtocol(): { Parser?: new () => MessageParser } {
  try {
    return requireFromPg('pg-protocol/dist/parser.js')
  } catch {
    return {}
  }
}

class ByteClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config)
    const { connection } = this as unknown as { connection?: PgConnection }
    const { Parser } = protocol
    if (!Parser || typeof connection?.attachListeners !== 'function') return
    connection.attachListeners = (stream) => {
      const parser = new Parser()
      if (parser.reader) parser.reader.encoding = 'latin1'
      stream.on('data', (chunk: Buffer) =>
        parser.parse(chunk, (message) =>
          connection.emit(message.name === 'error' ? 'errorMessage' : message.name, message),
        ),
      )
    }
  }
}

/** A pool like `model`, on connections of its own, whose results hold bytes if {@link holdsBytes} says so. */
export function openBytePool(model: pg.Pool, onError: (error: Error) => void): pg.Pool {
  const { password, ...options } = { ...model.options, password: model.options.password }
  const pool = new pg.Pool({
    ...options,
    ...(password === undefined ? {} : { password }), // not enumerable in a pool's options
    options: `${options.options ?? ''} -c timezone=UTC`,
    types: momentsAsText(options.types ?? pg.types),
    Client: preparingClient(ByteClient),
  })
  pool.on('error', (error) => pool.ending || onError(error))
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

const timestamptz = 1184

/** Times stay the text that PostgreSQL writes: content/read.ts makes ISO 8601 of it without a Date in between. */
function momentsAsText(types: pg.CustomTypesConfig): pg.CustomTypesConfig {
  return {
    getTypeParser: (oid, format) =>
      oid === timestamptz && format !== 'binary' ? (text: string) => text : types.getTypeParser(oid, format),
  }
}

/** Does this pool give bytes? Throws what a query throws; anything but bytes or text is an error. */
export async function holdsBytes(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query<{ probe: string }>(`SELECT 'あé' AS probe`)
  if (rows[0]?.probe === Buffer.from('あé').toString('latin1')) return true
  if (rows[0]?.probe === 'あé') return false
  throw new Error('The connection to PostgreSQL does not speak UTF-8')
}
