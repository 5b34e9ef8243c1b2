import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import sharp from 'sharp'
import { loadConfig } from '#server/config.ts'
import { openDatabase } from '#server/db/connection.ts'
import { createOutgoing } from '#server/outgoing.ts'
import { openStorages } from '#server/storage/index.ts'
import { putAsset } from '../test/asset-fixtures.ts'
import { openBench } from './database.ts'
import { close, cpu, folder, type Measured, measure, rate, request, start, whole } from './measuring.ts'
import { backEndCores, machine, median, rounds, seconds } from './options.ts'

/*
 * Measures the delivery of files and pictures. Originals and cached transforms are compared with a bare node:http
 * server that sends the same bytes from the disk, and the first transform of a large photo with sharp alone. Also
 * measures the effect of fifty concurrent transforms on document delivery, and the memory.
 */

const targets = { ratio: 0.6, first: 1.3, p99: 2, memory: 600 }
const transforms = 50
let isMet = true

const show = (runs: Measured[]) => `${whole(rate(runs))}/s | ${whole(cpu(runs))} µs`

function check(met: boolean): string {
  if (!met) isMet = false
  return met ? '' : ' MISSED'
}

/** Returns a photo similar to a camera's: soft shapes and some noise. */
async function photo(width: number, height: number): Promise<Buffer> {
  const noise = (side: number, sigma: number) => ({
    create: {
      width: side,
      height: side,
      channels: 3 as const,
      background: 'gray',
      noise: { type: 'gaussian' as const, mean: 128, sigma },
    },
  })
  const shapes = await sharp(noise(64, 90)).resize(width, height, { kernel: 'cubic' }).png().toBuffer()
  const grain = await sharp(noise(512, 12)).png().toBuffer()
  return sharp(shapes)
    .composite([{ input: grain, tile: true, blend: 'soft-light' }])
    .jpeg({ quality: 88 })
    .toBuffer()
}

/** Returns the memory of a process in MB, without and with its children. */
function memoryOf(pid: number): { own: number; all: number } {
  const rss = (id: number) => {
    try {
      return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1] ?? 0) / 1024
    } catch {
      return 0
    }
  }
  const own = rss(pid)
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .trim()
      .split(' ')
      .filter(Boolean)
    return { own, all: own + children.reduce((sum, child) => sum + rss(Number(child)), 0) }
  } catch {
    return { own, all: own }
  }
}

async function time(url: string): Promise<{ ms: number; bytes: Buffer }> {
  const begun = performance.now()
  const answer = await fetch(url)
  const bytes = Buffer.from(await answer.arrayBuffer())
  if (answer.status !== 200) throw new Error(`${url}: ${answer.status} ${bytes}`)
  return { ms: performance.now() - begun, bytes }
}

async function compare(name: string, port: string, path: string, pid: number): Promise<void> {
  const { bytes } = await time(`http://127.0.0.1:${port}${path}`)
  const file = join(folder, 'file')
  writeFileSync(file, bytes)
  const [bare, barePort] = await start('bare-file-server.ts', file)
  const item = { name, connections: 32, requests: [request('GET', path, {})] }
  const measured: Measured[] = []
  const own: Measured[] = []
  for (let round = 0; round < rounds; round++) {
    measured.push(await measure(barePort, item, [Number(bare.pid)]))
    own.push(await measure(port, item, [pid]))
  }
  bare.kill()
  const ratio = rate(own) / rate(measured)
  console.log(
    `| ${name} | ${bytes.length.toLocaleString('en')} | ${show(measured)} | ${show(own)} | ${ratio.toFixed(2)} ` +
      `| ${(cpu(measured) / cpu(own)).toFixed(2)} | ${targets.ratio}${check(ratio >= targets.ratio)} |`,
  )
}

/** Starts sharp in a separate process that handles one picture at a time. */
function sharpAlone() {
  const child = spawn(process.execPath, ['--import', 'tsx', 'bench/sharp-alone.ts'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    ready: () => lines.next(),
    async run(path: string): Promise<number> {
      child.stdin.write(`${path}\n`)
      return Number((await lines.next()).value)
    },
    end: () => child.stdin.end(),
  }
}

async function main(): Promise<void> {
  const bench = await openBench()
  try {
    const database = await openDatabase(bench.postgres.connection)
    const dataDir = join(folder, 'data')
    const config = loadConfig({ IMORI_DATA: dataDir })
    const key = randomBytes(32).toString('hex')
    const secrets = { sessionKey: key, encryptionKeys: [] }
    const outgoing = createOutgoing(config.outgoing)
    const storages = openStorages({ config, secrets, database, outgoing })
    const deps = { database, deps: { services: { storages } } } as never
    await database.pool.query('DELETE FROM asset')
    const lay = (bytes: Buffer, width: number, height: number) =>
      putAsset(deps, { uid: 'bench' }, { bytes, mediaType: 'image/jpeg', fileName: 'a.jpg', width, height })
    const [small, large] = await Promise.all([photo(1600, 1200), photo(4000, 3000)])
    /** The copies contain the same picture but have different hashes. */
    const copies = Array.from({ length: rounds + 1 }, () => Buffer.concat([large, randomBytes(16)]))
    const [server, port] = await start(
      'delivery-server.ts',
      JSON.stringify(bench.postgres.connection),
      key,
      dataDir,
    )
    const pid = Number(server.pid)
    const address = (id: string, query = '') => `/bench.assets/v1/${id}/a.jpg${query}`
    console.log(`${machine()}, ${rounds} × ${seconds} s\n`)

    console.log(
      `| request, back end on ${backEndCores} core(s) | bytes | bare | its CPU | Imori | its CPU | ratio | by CPU | target |`,
    )
    console.log('|---|---|---|---|---|---|---|---|---|')
    const smallId = await lay(small, 1600, 1200)
    const largeId = await lay(large, 4000, 3000)
    await compare('cached transform, 800 px WebP', port, address(smallId, '?width=800&format=webp'), pid)
    await compare('plain original, 1600 px JPEG', port, address(smallId), pid)
    await compare('plain original, 4000 px JPEG', port, address(largeId), pid)

    const alone = sharpAlone()
    await alone.ready()
    const own: number[] = []
    const others: number[] = []
    for (const [index, bytes] of copies.entries()) {
      const id = await lay(bytes, 4000, 3000)
      const path = join(folder, createHash('sha256').update(bytes).digest('hex'))
      writeFileSync(path, bytes)
      const other = await alone.run(path)
      const { ms } = await time(`http://127.0.0.1:${port}${address(id, '?width=1600&format=webp')}`)
      if (index === 0) continue // The first run of both is a warm-up.
      others.push(other)
      own.push(ms)
    }
    alone.end()
    const ratio = median(own) / median(others)
    console.log(
      `\nFirst 1600-px WebP of a 12-megapixel JPEG (${large.length.toLocaleString('en')} bytes): ${Math.round(median(own))} ms, ` +
        `sharp alone ${Math.round(median(others))} ms: ${ratio.toFixed(2)} (target ${targets.first})${check(ratio <= targets.first)}`,
    )

    const documents = {
      name: 'documents',
      connections: 8,
      requests: [
        request('GET', '/v1/blog/article?limit=20', { authorization: `Bearer ${bench.blog.token}` }),
      ],
    }
    const before = await measure(port, documents, [pid])
    let most = { own: 0, all: 0 }
    const looking = setInterval(() => {
      const { own, all } = memoryOf(pid)
      most = { own: Math.max(most.own, own), all: Math.max(most.all, all) }
    }, 50)
    let made = 0
    const making = Array.from({ length: transforms }, (_, index) =>
      fetch(`http://127.0.0.1:${port}${address(largeId, `?width=${1000 + index}&format=webp`)}`).then(
        async (answer) => {
          await answer.arrayBuffer()
          if (answer.status === 200) made++
          return answer.status
        },
      ),
    )
    const during = await measure(port, documents, [pid])
    const madeMeanwhile = made
    const statuses = await Promise.all(making)
    clearInterval(looking)
    const slower = during.p99 / before.p99
    console.log(
      `Documents while ${transforms} transforms of it are asked for at once: p99 ${before.p99.toFixed(1)} ms before, ` +
        `${during.p99.toFixed(1)} ms during: ${slower.toFixed(2)} (target ${targets.p99})${check(slower <= targets.p99)}; ` +
        `${Math.round(rate([before]))}/s before, ${Math.round(rate([during]))}/s during; ${madeMeanwhile} made meanwhile, ` +
        `${made} in all, ${statuses.filter((status) => status === 429).length} refused`,
    )
    console.log(
      `Memory meanwhile at most: server ${Math.round(most.own)} MB, with its processes ${Math.round(most.all)} MB ` +
        `(target ${targets.memory})${check(most.all <= targets.memory)}`,
    )
    server.kill()
    await outgoing.close()
    await database.close()
  } finally {
    await close()
    await bench.close()
  }
}

await main()
process.exitCode = isMet ? 0 : 1
