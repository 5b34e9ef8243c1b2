import { createClient } from 'newt-client-js'
import { createAssetFinder } from '#archive/asset-urls.ts'
import type { View } from '#archive/content.ts'
import { NotAnArchive, UnsafeName } from '#archive/errors.ts'
import { linesIn } from '#archive/files.ts'
import { assetLineSchema } from '#archive/format.ts'
import { readAnyManifest } from '#archive/manifest.ts'
import { archivesIn } from '#archive/several.ts'
import { isAsset, isRecord } from '#archive/shapes.ts'
import { type ArchiveSource, openArchive } from '#archive/source.ts'
import { createCheckedFetch } from '#server/lib/checked-fetch.ts'
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
  /** Tokens by view. Only views with a token are compared. */
  tokens: Partial<Record<View, string>>
  outgoing: OutgoingHttp
  /**
   * Whether documents that were edited on the server since the import are accepted. Left out: they count as
   * differences.
   */
  expectsWritten?: boolean
  /** The names in the import's plan. Left out: names that a user corrected in the plan are unknown. */
  planned?: PlannedNames | undefined
  /** The calls to compare. Left out: typical calls of sites ({@link defaultCalls}). */
  calls?: Call[]
  onCall?: (call: Call, differences: Difference[]) => void
}

export interface PlannedNames {
  app: string
  /** uids of models on the server by their uids in the archive. */
  models: ReadonlyMap<string, string>
}

/** The app's name on the server, if it differs from the archive. */
interface RenamedApp {
  from: string
  to: string
  /** Whether the plan contains this name. false: the name may be unintended. */
  isPlanned: boolean
}

export interface Verified {
  calls: number
  /** Number of values that differ in an explained way, by explanation. */
  explained: Map<Explanation, number>
  /** Kinds of HTML removed by the policy (`<font>`), with the number of removals in all compared responses. */
  removed: Map<string, number>
  unexplained: { call: Call; difference: Difference }[]
  /** Documents that were edited or created on the server. Empty without `expectsWritten`. */
  writtenHere: WrittenHere[]
  /** null: the name is unchanged. */
  renamedApp: RenamedApp | null
}

const mostBytes = 32_000_000

/**
 * Returns for each archive in a file or folder its subfolder (`part`) and the uid of its app on the server: the uid in
 * `named`, or else in the archive. `part` undefined: there is only one archive. Throws `NotAnArchive`, `NoSuchApp`,
 * `UnsafeName`.
 */
export async function archivesToVerify(
  path: string,
  named: readonly NamedApp[],
): Promise<{ part: string | undefined; app: string }[]> {
  const parts = await archivesIn(path)
  const found: { part: string | undefined; from: string }[] = []
  for (const part of parts.length > 1 ? parts : [undefined]) {
    const source = await openArchive(path, part).catch((error: NodeJS.ErrnoException) => {
      // Errors other than file system errors come from the zip library.
      throw error.syscall || error instanceof UnsafeName ? error : new NotAnArchive(path, 'unopenable_file')
    })
    try {
      const read = await readAnyManifest(source, path)
      // The archive of a space passes this step like the archive of an app. {@link verifyMove} then fails, because it
      // supports only archives of contents.
      found.push({ part, from: read.of === 'space' ? read.manifest.source.space : read.manifest.source.app })
    } finally {
      source.close()
    }
  }
  const [only] = named
  // With a single app, the given name always refers to it, whatever its current uid.
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

/** Calls the server through newt-client-js and compares every response with the archive. */
export async function verifyMove(source: ArchiveSource, options: VerifyOptions): Promise<Verified> {
  const expected = await expectedFrom(source)
  const comparing = await comparingOf(source, expected)
  const views = (['cdn', 'api'] as const).filter((view) => options.tokens[view] !== undefined)
  const clients = Object.fromEntries(views.map((view) => [view, clientOf(view, options)]))
  // uids of models as the plan assigns them automatically. A reserved uid gets another name.
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

/** Returns the renamed app if a difference between responses of `getApp` is about its name, otherwise null. */
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
  // Copied, because the client removes `or` from its argument.
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

/** Returns a description of a refusal. */
function textOf(error: unknown): string {
  const { status, code, message } = (isRecord(error) ? error : {}) as Record<string, unknown>
  return [status, code, message ?? String(error)].filter(Boolean).join(' ')
}

/** Returns a newt-client-js client. Its requests are redirected to the server under test. */
function clientOf(apiType: View, { server, space, tokens, outgoing }: VerifyOptions): Client {
  const base = server.replace(/\/$/, '')
  const send = createCheckedFetch(outgoing, { maxBytes: mostBytes, timeoutMs: 60_000 })
  return createClient({
    spaceUid: space,
    token: tokens[apiType] ?? '',
    apiType,
    fetch: (input, init) => {
      const { pathname, search } = new URL(String(input))
      return send(`${base}/${space}.${apiType}.newt.so${pathname}${search}`, init)
    },
  })
}

/** Returns a function that returns, for each call, the context for comparing its two responses. */
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
  // Files that only texts use have no asset object. The import keeps the `_id` in their URL; otherwise it creates one,
  // which is unknown here.
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
  // The import recreated the app's icon and cover under new `_id`s.
  const ofApp = new Map([...assetIds.keys()].map((url) => [url, unknownFile]))
  return ({ model, method }) => ({
    finder,
    assetIds: method === 'getApp' ? ofApp : assetIds,
    unpublished,
    isRendered(path) {
      const [key = '', ...inside] = path.replace(/^items\.\d+\./, '').split('.')
      // The archive has no texts of nested fields and of referenced contents, so their HTML may always be rendered
      // again.
      return inside.some((part) => !/^\d+$/.test(part)) || (rendered.get(model)?.has(key) ?? false)
    },
  })
}

const marks = /^\s*(?:#{1,6} |[-*+] |\d{1,9}[.)] |> |```|~~~|\|)|\*\*|__|!?\[[^\]]*\]\(|`/m

/**
 * Returns the names of the fields whose HTML was rendered from Markdown: in at least one content, the text contains
 * markup and differs from the words of the HTML.
 */
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
