import { createSocket } from 'node:dgram'
import { once } from 'node:events'

/** A local name server that supports only TXT records. */
export interface DnsServer {
  /** IP address and port of the server, in the format of `IMORI_NAME_SERVERS`. */
  address: string
  /** Texts by name; other names do not exist. Each text may have several parts. */
  records: Map<string, string[][]>
  /** The names of received queries. */
  asked: string[]
  close(): Promise<void>
}

const [nameError, txt, internet] = [3, 16, 1]

export async function startDnsServer(): Promise<DnsServer> {
  const socket = createSocket('udp4')
  const records = new Map<string, string[][]>()
  const asked: string[] = []
  socket.on('message', (query, { port, address }) => {
    const { name, question } = readQuestion(query)
    asked.push(name)
    socket.send(answer(query, question, records.get(name)), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    records,
    asked,
    close: async () => {
      socket.close()
      await once(socket, 'close')
    },
  }
}

/** Returns the queried name, and the bytes of the question (RFC 1035, 4.1.2). */
function readQuestion(query: Buffer): { name: string; question: Buffer } {
  const labels: string[] = []
  let at = 12
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), question: query.subarray(12, at + 5) }
}

function answer(query: Buffer, question: Buffer, texts: string[][] | undefined): Buffer {
  const header = Buffer.alloc(12)
  query.copy(header, 0, 0, 2)
  header.writeUInt16BE(0x8180 | (texts ? 0 : nameError), 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(texts?.length ?? 0, 6)
  const found = (texts ?? []).map((parts) => {
    const data = Buffer.concat(parts.map((part) => Buffer.from([part.length, ...Buffer.from(part)])))
    const fixed = Buffer.alloc(12)
    fixed.writeUInt16BE(0xc00c, 0) // A pointer to the name in the question.
    fixed.writeUInt16BE(txt, 2)
    fixed.writeUInt16BE(internet, 4)
    fixed.writeUInt16BE(data.length, 10)
    return Buffer.concat([fixed, data])
  })
  return Buffer.concat([header, question, ...found])
}
