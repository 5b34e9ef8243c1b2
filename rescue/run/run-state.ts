import type { View } from '#archive/content.ts'
import type { StoredAsset } from '#archive/write.ts'
import { type Cursor, firstCursor } from '#rescue/newt/cursor.ts'
import type { JournalEntry } from './journal.ts'

/** State of reading one model in one view. */
export interface StreamState {
  view: View
  model: string
  /** Number of valid bytes in the data file. */
  bytes: number
  /** Position of the next page; undefined when the initial read is complete. */
  next: Cursor | undefined
  skipped: boolean
  /** Number of contents according to the server when the read began. */
  total: number
  /** Server time up to which changes are known, in ms; 0 before the first request. */
  lookedAt: number
  /** Ids of contents that no list returned at the model's depth and that have not been read completely since. */
  tooLarge: Set<string>
  /** Names of the fields that could not be fetched, by content id. */
  lacks: Map<string, string[]>
}

/** State of the second pass over a model, which reads the sources of texts. */
export interface TextState {
  view: View
  model: string
  /** Number of valid bytes in the data file. */
  bytes: number
  /** Position of the next page; undefined when the pass is complete. */
  next: Cursor | undefined
  /** Fields that were tried (`asked`), and fields for which the server allows `[fmt]=text` (`fields`). */
  asked: string[]
  fields: string[]
  /** Whether `select` works for these fields. */
  select: boolean
}

/** The state of a run as recorded in its journal. A later run resumes from it. */
export class RunState {
  readonly streams = new Map<string, StreamState>()
  readonly texts = new Map<string, TextState>()
  readonly found = new Map<string, string>()
  readonly probed = new Set<string>()
  readonly assets = new Map<string, StoredAsset>()
  readonly missing = new Map<string, string>()
  appBody: string | undefined
  startedAt = ''
  /** The source recorded in the journal; undefined before the run has started. */
  source: { space: string; app: string; origin: string } | undefined

  stream(view: View, model: string): StreamState {
    const key = `${view}/${model}`
    const known = this.streams.get(key)
    if (known) return known
    const fresh: StreamState = {
      view,
      model,
      bytes: 0,
      next: firstCursor,
      skipped: false,
      total: 0,
      lookedAt: 0,
      tooLarge: new Set(),
      lacks: new Map(),
    }
    this.streams.set(key, fresh)
    return fresh
  }

  text(view: View, model: string): TextState {
    const key = `${view}/${model}`
    const known = this.texts.get(key)
    if (known) return known
    const fresh: TextState = {
      view,
      model,
      bytes: 0,
      next: firstCursor,
      asked: [],
      fields: [],
      select: true,
    }
    this.texts.set(key, fresh)
    return fresh
  }

  apply(entry: JournalEntry): void {
    switch (entry.t) {
      case 'start':
        this.source = { space: entry.space, app: entry.app, origin: entry.origin }
        this.startedAt = entry.at
        break
      case 'asked':
        break
      case 'reset':
        this.streams.delete(`${entry.view}/${entry.model}`)
        break
      case 'app':
        this.appBody = entry.body
        break
      case 'found':
        this.found.set(entry.model, entry.by)
        break
      case 'probe':
        this.probed.add(entry.key)
        break
      case 'texts': {
        const { asked, fields, select } = entry
        Object.assign(this.text(entry.view, entry.model), {
          asked,
          fields,
          select,
          bytes: 0,
          next: firstCursor,
        })
        break
      }
      case 'text':
        Object.assign(this.text(entry.view, entry.model), {
          bytes: entry.bytes,
          next: entry.next ?? undefined,
        })
        break
      case 'pieced': {
        const { tooLarge, lacks } = this.stream(entry.view, entry.model)
        lacks.set(entry.id, entry.lacks)
        if (entry.lacks.length === 0) tooLarge.delete(entry.id)
        else tooLarge.add(entry.id)
        break
      }
      case 'asset':
        this.assets.set(entry.url, { sha256: entry.sha256, bytes: entry.bytes, type: entry.type })
        this.missing.delete(entry.url)
        break
      case 'missing':
        this.missing.set(entry.url, entry.reason)
        break
      default:
        replayStream(this.stream(entry.view, entry.model), entry)
    }
  }
}

function replayStream(
  stream: StreamState,
  entry: Extract<JournalEntry, { t: 'begin' | 'page' | 'late' | 'look' }>,
): void {
  if (entry.t === 'begin' || entry.t === 'look') stream.lookedAt = entry.at
  else {
    stream.bytes = entry.bytes
    if (entry.t === 'late') return
    if (stream.total === 0) stream.total = entry.total
    stream.next = entry.next ?? undefined
    if (entry.next?.skipped) stream.skipped = true
    for (const id of entry.tooLarge) stream.tooLarge.add(id)
  }
}
