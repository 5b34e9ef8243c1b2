import { createClient } from 'newt-client-js'
import { createAssetFinder } from '#archive/asset-urls.ts'
import type { View } from '#archive/content.ts'
import { linesIn } from '#archive/files.ts'
import { assetLineSchema } from '#archive/format.ts'
import { readAnyManifest } from '#archive/manifest.ts'
import { archivesIn } from '#archive/several.ts'
import { isAsset, isRecord } from '#archive/shapes.ts'
import { type ArchiveSource, openArchive } from '#archive/source.ts'
import type { OutgoingHttp } from '#server/lib/outgoing-http.ts'
import { freeUids } from '#shared/free-uids.ts'
import { type NamedApp, requireKnown } from './chosen-apps.ts'
import { type Comparing, compare, type Difference, type Explanation, unknownFile } from './compare.ts'
import { type Expected, expectedFrom } from './expected.ts'
import { decodeEntities } from './html-structure.ts'
import { type Call, defaultCalls } from './queries.ts'
import { expectWrittenHere, type WrittenHere } from './written-here.ts'

export interface VerifyOptions {
  /** `https://cms.example.com` */
  server: string
  space: string
  app: string
  /** Of each view that is to be compared. */
  tokens: Partial<Record<View, string>>
  outgoing: OutgoingHttp
  /** Documents that were written here since are expected as they are; left out: they are differences as any other. */
  expectsWritten?: boolean
  /** What the plan of the move made of the archive; left out: nothing is known of what people have corrected in it. */
  planned?: PlannedNames | undefined
  /** Left out: what sites usually ask. */
  calls?: Call[]
  onCall?: (call: Call, differences: Difference[]) => void
}

/** Names as the plan has them. */
export interface PlannedNames {
  app: string
  /** uids of models here by those in the archive. */
  models: ReadonlyMap<string, string>
}

/** The name that the app has here, in place of the one in the archive. */
interface RenamedApp {
  from: string
  to: string
  /** By the plan; false: nothing says that it was meant. */
  isPlanned: boolean
}

export interface Verified {
  calls: number
  /** Values that were compared are all but these. */
  explained: Map<Explanation, number>
  /** Kinds of HTML that sites may not receive (`<font>`), with how often answers would have had them. */
  removed: Map<string, number>
  unexplained: { call: Call; difference: Difference }[]
  /** Documents that are other ones because they were written here. */
  writtenHere: WrittenHere[]
  /** Null: it is called as it was. */
  renamedApp: RenamedApp | null
}

const mostBytes = 32_000_000

/**
 * The archives of a file or a folder, with what the app of each is called on the server: as it was called, or as it is named. Throws
 * NotAnArchive, NoSuchApp.
 */
export async function archivesToVerify(
  path: string,
  named: readonly NamedApp[],
): Promise<{ part: string | undefined; app: string }[]> {
  const parts = await archivesIn(path)
  const found: { part: string | undefined; from: string }[] = []
  for (const part of parts.length > 1 ? parts : [undefined]) {
    const source = await openArchive(path, part)
    try {
      const read = await readAnyManifest(source, path)
      // That of a space is refused as that of an app is: both are ours.
      found.push({ part, from: read.of === 'space' ? read.manifest.source.space : read.manifest.source.app })
    } finally {
      source.close()
    }
  }
  const [only] = named
  // The only app is meant whatever it is called now.
  if (found.length === 1)
    return found.map(({ part, from }) => ({ part, app: only?.uid ?? only?.from ?? from }))
  requireKnown(
    named,
    found.map(({ from }) => from),
  )
  return found.flatMap(({ part, from }) => {
    const name = named.find((one) => one.from === from)
    return named.length === 0 || name ? [{ part, app: name?.uid ?? from }] : []
  })
}

/** Asks a server, through the client that sites have, and compares every answer with what the archive says. */
export async function verifyMove(source: ArchiveSource, options: VerifyOptions): Promise<Verified> {
  const expected = await expectedFrom(source)
  const comparing = await comparingOf(source, expected)
  const views = (['cdn', 'api'] as const).filter((view) => options.tokens[view] !== undefined)
  const clients = Object.fromEntries(views.map((view) => [view, clientOf(view, options)]))
  // What the plan calls them by itself: a uid can be a word of ours.
  const models = freeUids(
    'model',
    expected.manifest.models.map(({ uid }) => uid),
  )
  const actualOf = (call: Call): Promise<unknown> => {
    const client = clients[call.view]
    const uid = options.planned?.models.get(call.model) ?? models.get(call.model)
    const place = { appUid: options.app, modelUid: uid ?? call.model }
    if (!client) throw new TypeError(`no token of the view ${call.view}`)
    return ask(client, place, call).catch((error: unknown) => ({ error: textOf(error) }))
  }
  const writtenHere = options.expectsWritten ? await expectWrittenHere(expected, views, actualOf) : []
  const result: Verified = {
    calls: 0,
    explained: new Map(),
    removed: new Map(),
    unexplained: [],
    writtenHere,
    renamedApp: null,
  }
  for (const call of options.calls ?? defaultCalls(expected, views)) {
    if (!clients[call.view]) continue
    const actual = await actualOf(call)
    const differences = compare(answerOf(expected, call, options.app), actual, comparing(call))
    result.calls += 1
    for (const difference of differences) {
      const renamed = call.method === 'getApp' ? renamedApp(difference, options.planned) : null
      if (renamed) result.renamedApp = renamed
      if (renamed?.isPlanned) difference.explanation = 'renamed'
      const { explanation } = difference
      if (explanation === null) result.unexplained.push({ call, difference })
      else result.explained.set(explanation, (result.explained.get(explanation) ?? 0) + 1)
      for (const [kind, times] of difference.removed ?? [])
        result.removed.set(kind, (result.removed.get(kind) ?? 0) + times)
    }
    options.onCall?.(call, differences)
  }
  return result
}

/** What a difference between the answers of `getApp` says of the app's name; null: it is about something else. */
function renamedApp(
  { path, expected, actual }: Difference,
  planned: PlannedNames | undefined,
): RenamedApp | null {
  if (path !== 'name' || typeof expected !== 'string' || typeof actual !== 'string') return null
  return { from: expected, to: actual, isPlanned: planned?.app === actual }
}

type Client = ReturnType<typeof createClient>

async function ask(
  client: Client,
  place: { appUid: string; modelUid: string },
  call: Call,
): Promise<unknown> {
  // The client takes `or` out of what it is given.
  const query = structuredClone(call.query) as never
  if (call.method === 'getApp') return client.getApp({ appUid: place.appUid })
  if (call.method === 'getContent') return client.getContent({ ...place, contentId: call.contentId, query })
  return call.method === 'getContents'
    ? client.getContents({ ...place, query })
    : client.getFirstContent({ ...place, query })
}

function answerOf(expected: Expected, call: Call, app: string): unknown {
  if (call.method === 'getApp') return { ...expected.app, uid: app }
  if (call.method === 'getContent') return expected.one(call.view, call.model, call.contentId, call.query)
  const list = expected.list(call.view, call.model, call.query)
  return call.method === 'getContents' ? list : (list.items[0] ?? null)
}

/** What is said of a refusal. */
function textOf(error: unknown): string {
  const { status, code, message } = (isRecord(error) ? error : {}) as Record<string, unknown>
  return [status, code, message ?? String(error)].filter(Boolean).join(' ')
}

/** The client as it is; its requests go to our server instead of where it believes them to go. */
function clientOf(apiType: View, { server, space, tokens, outgoing }: VerifyOptions): Client {
  const base = server.replace(/\/$/, '')
  const send = async (input: string, init: { headers: Record<string, string> }) => {
    const { pathname, search } = new URL(input)
    const answer = await outgoing.request(`${base}/${space}.${apiType}.newt.so${pathname}${search}`, {
      headers: init.headers,
      maxBytes: mostBytes,
      timeoutMs: 60_000,
    })
    const text = await answer.text()
    return new Response(text, { status: answer.status, headers: { 'content-type': 'application/json' } })
  }
  return createClient({
    spaceUid: space,
    token: tokens[apiType] ?? '',
    apiType,
    fetch: send as unknown as typeof fetch,
  })
}

/** What the answers to a call are compared by. */
async function comparingOf(source: ArchiveSource, expected: Expected): Promise<(call: Call) => Comparing> {
  const { manifest, ids, raw } = expected
  const { asked, learntHosts, source: from } = manifest
  const finder = createAssetFinder({
    assetHosts: asked.assetHosts,
    learnt: learntHosts,
    origin: from.origin ?? undefined,
  })
  const saved = new Set<string>()
  const bytes = manifest.files.find(({ path }) => path === 'assets.ndjson')?.bytes ?? 0
  for await (const { text } of linesIn(source.read('assets.ndjson', bytes)))
    saved.add(assetLineSchema.parse(JSON.parse(text.toString('utf8'))).url)
  const assetIds = new Map<string, string>()
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit)
    else if (isAsset(value)) {
      const url = finder.ofSource(value.src)
      if (url && saved.has(url) && !assetIds.has(url)) assetIds.set(url, value._id)
    } else if (isRecord(value)) Object.values(value).forEach(visit)
  }
  for (const view of ['api', 'cdn'] as const)
    for (const { uid } of manifest.models) for (const id of ids(view, uid)) visit(raw(view, uid, id))
  // Files that only texts show: their new `_id` cannot be known from the archive.
  for (const url of saved)
    if (!assetIds.has(url)) assetIds.set(url, /\/v1\/([0-9a-f]{24})\//.exec(url)?.[1] ?? unknownFile)
  const unpublished = new Set(
    manifest.models.flatMap(({ uid }) => {
      const published = new Set(ids('cdn', uid))
      return ids('api', uid).filter((id) => !published.has(id))
    }),
  )
  const rendered = new Map<string, Set<string>>()
  for (const { uid } of manifest.models) rendered.set(uid, await renderedFields(expected, uid))
  // The library made the app's pictures anew.
  const ofApp = new Map([...assetIds.keys()].map((url) => [url, unknownFile]))
  return ({ model, method }) => ({
    finder,
    assetIds: method === 'getApp' ? ofApp : assetIds,
    unpublished,
    isRendered(path) {
      const [key = '', ...inside] = path.replace(/^items\.\d+\./, '').split('.')
      // Of what lies deeper, and of other models, the archive has no text.
      return inside.some((part) => !/^\d+$/.test(part)) || (rendered.get(model)?.has(key) ?? false)
    },
  })
}

const marks = /^\s*(?:#{1,6} |[-*+] |\d{1,9}[.)] |> |```|~~~|\|)|\*\*|__|!?\[[^\]]*\]\(|`/m

/** Fields whose HTML was rendered of Markdown: their text has its marks, which their HTML has not. */
async function renderedFields({ texts, raw }: Expected, model: string): Promise<Set<string>> {
  const found = new Set<string>()
  for await (const { id, values } of texts(model)) {
    const html = raw('api', model, id) ?? {}
    for (const [key, text] of Object.entries(values)) {
      if (typeof text !== 'string' || found.has(key) || !marks.test(text)) continue
      const words = bare(decodeEntities(String(html[key] ?? '').replace(/<[^>]*>/g, '')))
      if (bare(text) !== words) found.add(key)
    }
  }
  return found
}

const bare = (text: string) => text.replace(/\s+/gu, '')
