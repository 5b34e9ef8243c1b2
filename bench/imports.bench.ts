import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { MovePlan } from '#shared/contract/move-plans.ts'
import { close } from './measuring.ts'
import { startMediaServer } from './media-server.ts'
import { documents, machine, moveToBackEnd } from './options.ts'

/*
 * Imports six files of one account, each into its own space, while another account imports tables of two rows one after
 * the other. Measures the memory of the server, and the duration of the small imports. `--documents N`: number of
 * contents in each large file. BENCH_KIND: `csv`, `json` or `wordpress`.
 */

const spaces = 6
/** Maximum memory of the server in MB, and maximum duration of an import of two rows in ms. */
const target = { memory: 600, small: 10_000 }
/** Maximum duration of a step in ms. */
const patience = 1_800_000

interface Move {
  _id: string
  state: string
  stopped: object | null
}

const kind = (process.env.BENCH_KIND ?? 'csv') as keyof typeof kinds

moveToBackEnd()
const server = await startMediaServer({ IMORI_SIGNUP: 'open' }, { isBuilt: true })

type Call = <T>(method: string, path: string, body?: object) => Promise<T>

const callerWith =
  (headers: Record<string, string>): Call =>
  async <T>(method: string, path: string, body?: object) => {
    const answer = await fetch(server.origin + path, {
      method,
      headers: { ...headers, origin: server.origin, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return JSON.parse(text) as T
  }

async function signUp(email: string): Promise<Call> {
  const { origin } = server
  const signedUp = await fetch(`${origin}/api/auth/signup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({ email, password: 'いもりは池にいる2026', name: 'other' }),
  })
  if (!signedUp.ok) throw new Error(`signup: ${signedUp.status} ${await signedUp.text()}`)
  const cookies = signedUp.headers.getSetCookie().map((one) => one.split(';')[0])
  const cookie = cookies.join('; ')
  const token = await fetch(`${origin}/api/auth/csrfToken`, { headers: { cookie } })
  const { csrfToken } = (await token.json()) as { csrfToken: string }
  return callerWith({ cookie, 'x-csrf-token': csrfToken })
}

const dayOf = (at: number) => String((at % 28) + 1).padStart(2, '0')
const body = '<p>いもりは池や川にすみ、腹が赤い。</p>'.repeat(12)
/** Parts of a file with contents: its beginning, one content, and its end. */
const kinds = {
  csv: {
    name: 'table.csv',
    begin: 'title,slug,date,price,mail,url,done,status\n',
    content: (at: number) =>
      `Entry ${at},entry-${at},2024-01-${dayOf(at)},${at * 10},a${at}@example.com,` +
      `https://example.com/${at},${at % 2 === 0},published\n`,
    end: '',
  },
  json: {
    name: 'list.json',
    begin: '[{}',
    content: (at: number) =>
      `,${JSON.stringify({ id: `e${at}`, status: 'published', title: `Entry ${at}`, slug: `entry-${at}`, body, tags: ['a', 'b'] })}`,
    end: ']',
  },
  wordpress: {
    name: 'site.xml',
    begin:
      '<rss xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:wp="http://wordpress.org/export/1.2/">' +
      '<channel><title>bench</title><wp:wxr_version>1.2</wp:wxr_version>',
    content: (at: number) =>
      `<item><title>Entry ${at}</title><wp:post_id>${at + 1}</wp:post_id><wp:post_type>post</wp:post_type>` +
      `<wp:status>publish</wp:status><wp:post_date>2024-01-${dayOf(at)} 10:00:00</wp:post_date>` +
      `<content:encoded><![CDATA[${body}]]></content:encoded></item>`,
    end: '</channel></rss>',
  },
}

function fileOf(kind: keyof typeof kinds, count: number) {
  const { name, begin, content, end } = kinds[kind]
  const contents = Array.from({ length: count }, (_, at) => content(at))
  return { name, bytes: Buffer.from([begin, ...contents, end].join('')) }
}

async function waitFor(call: Call, url: string, state: string): Promise<void> {
  for (const started = performance.now(); ; await sleep(100)) {
    const { move } = await call<{ move: Move }>('GET', url)
    if (move.state === state) return
    if (move.stopped || move.state === 'refused') throw new Error(`${url}: ${JSON.stringify(move)}`)
    if (performance.now() - started > patience) throw new Error(`${url}: still ${move.state}`)
  }
}

/**
 * Imports a file as a new app, and undoes the import. Returns two times in ms, both from the start: until the import
 * was planned, and until it was done.
 */
async function importFile(
  call: Call,
  space: string,
  { name, bytes }: ReturnType<typeof fileOf>,
): Promise<[number, number]> {
  const begun = performance.now()
  const data = { fileName: name, fileSize: bytes.length }
  const { move } = await call<{ move: Move }>('POST', `/api/project/${space}/move`, { data })
  const url = `/api/project/${space}/move/${move._id}`
  const target = await call<{ url: string; headers: Record<string, string> }>('GET', `${url}/signedUrl`)
  const sent = await fetch(new URL(target.url, server.origin), {
    method: 'PUT',
    headers: target.headers,
    body: new Uint8Array(bytes),
  })
  if (!sent.ok) throw new Error(`upload: ${sent.status}`)
  await call('POST', `${url}/signedUrl`)
  await waitFor(call, url, 'planned')
  const planned = performance.now() - begun
  const { plan } = await call<{ plan: MovePlan }>('GET', `${url}/plan`)
  if (plan.confirmed === false) {
    const { app, models, customTypes } = plan
    await call('PUT', `${url}/plan`, { data: { app, models, customTypes, confirmed: true } })
  }
  await call('POST', `${url}/start`)
  await waitFor(call, url, 'imported')
  const imported = performance.now() - begun
  // The next import of this file uses the same app uid, so this one is undone.
  await call('POST', `${url}/undo`)
  await waitFor(call, url, 'undone')
  return [planned, imported]
}

const memory = (what: 'VmRSS' | 'VmHWM') =>
  Number(new RegExp(`${what}:\\s+(\\d+)`).exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]) /
  1024

const say = (what: string, figure: string) => console.log(`${what.padEnd(58)} ${figure}`)
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`

try {
  console.log(machine())
  const large = fileOf(kind, documents)
  const small = fileOf('csv', 2)
  console.log(
    `${spaces} × ${large.name}, ${documents} contents, ${(large.bytes.length / 1e6).toFixed(1)} MB each`,
  )
  const owner = callerWith(server.headers)
  const other = await signUp('other@example.com')
  const names = Array.from({ length: spaces }, (_, at) => `large-${at}`)
  for (const uid of names) await owner('POST', '/api/project', { project: { uid, name: uid } })
  await other('POST', '/api/project', { project: { uid: 'small', name: 'small' } })
  const [, alone] = await importFile(other, 'small', small)
  say('two rows with nothing else', seconds(alone))
  say('memory of the server before', `${memory('VmRSS').toFixed(0)} MB`)

  let left = spaces
  const importing = Promise.all(
    names.map((uid) =>
      importFile(owner, uid, large).finally(() => {
        left -= 1
      }),
    ),
  )
  const took: [number, number][] = []
  await sleep(3_000)
  while (left > 0) took.push(await importFile(other, 'small', small))
  const all = await importing
  const planned = all.map(([one]) => one).sort((a, b) => a - b)
  say(
    'large files planned after, first and last',
    `${seconds(planned[0] ?? 0)}, ${seconds(planned.at(-1) ?? 0)}`,
  )
  const imported = Math.max(...all.map(([, one]) => one))
  say('large files imported after', seconds(imported))
  say('imports of two rows meanwhile', String(took.length))
  const slowest = Math.max(...took.map(([, one]) => one))
  say('planned, at most', seconds(Math.max(...took.map(([one]) => one))))
  say(`imported, at most (target ${seconds(target.small)})`, seconds(slowest))
  const most = memory('VmHWM')
  say(`memory of the server, at most (target ${target.memory} MB)`, `${most.toFixed(0)} MB`)
  if (slowest > target.small || most > target.memory) process.exitCode = 1
} finally {
  await server.close()
  await close()
}
