import { createRequire } from 'node:module'
import type { Duplex } from 'node:stream'
import pg from 'pg'
import { preparingClient } from '#server/db/preparing-client.ts'

/*
 * A pool that returns texts as bytes: each character of a string is one byte of the text's UTF-8. The delivery API
 * forwards most texts unchanged. Converting 100 KB of Japanese text to UTF-16 and back costs more than the rest of a
 * response (docs/performance.md). JSON can be parsed and written in this form.
 *
 * pg has no option for this, so its message parser gets another encoding here. `holdsBytes` checks whether that worked.
 * If it did not (another version of pg), the pool returns ordinary text.
 */

interface MessageParser {
  reader: { encoding: string }
  parse(chunk: Buffer, callback: (message: { name: string }) => void): void
}
interface PgConnection {
  attachListeners(stream: Duplex): void
  emit(event: string, message: unknown): void
}

// Resolves the parser from pg's own location, so that it is the module that pg uses.
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

/** Opens a separate pool with the options of `model`. Its results contain bytes if {@link holdsBytes} returns true. */
export function openBytePool(model: pg.Pool, onError: (error: Error) => void): pg.Pool {
  const { password, ...options } = { ...model.options, password: model.options.password }
  const pool = new pg.Pool({
    ...options,
    ...(password === undefined ? {} : { password }), // `password` is not enumerable in the options of a pool
    options: `${options.options ?? ''} -c timezone=UTC`,
    types: momentsAsText(options.types ?? pg.types),
    Client: preparingClient(ByteClient),
  })
  pool.on('error', (error) => pool.ending || onError(error))
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

const timestamptz = 1184

/** Keeps times in PostgreSQL's text form: content/read.ts converts them to ISO 8601 without a `Date`. */
function momentsAsText(types: pg.CustomTypesConfig): pg.CustomTypesConfig {
  return {
    getTypeParser: (oid, format) =>
      oid === timestamptz && format !== 'binary' ? (text: string) => text : types.getTypeParser(oid, format),
  }
}

/**
 * Checks whether this pool returns bytes. Rejects with the error of the query, and with an `Error` if the result is
 * neither bytes nor ordinary text.
 */
export async function holdsBytes(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query<{ probe: string }>(`SELECT 'あé' AS probe`)
  if (rows[0]?.probe === Buffer.from('あé').toString('latin1')) return true
  if (rows[0]?.probe === 'あé') return false
  throw new Error('The connection to PostgreSQL does not speak UTF-8')
}
