import { type Gap, mostUsesListed, type Use } from './archive-format.ts'
import type { AssetFinder } from './asset-urls.ts'
import { inspect, inspectApp, titleOf, type View } from './content.ts'

type ModelGap = Extract<Gap, { kind: 'content' | 'count' | 'unread' }>

/** Gathers, while the contents pass by, who uses what is missing. */
export class GapList {
  readonly #assets = new Map<string, { reason: string; uses: number; usedBy: Use[] }>()
  readonly #references = new Map<string, { uses: number; usedBy: Use[] }>()
  readonly #contents: ModelGap[] = []
  readonly #finder: AssetFinder

  constructor(finder: AssetFinder, missingAssets: ReadonlyMap<string, string>, missingIds: Iterable<string>) {
    this.#finder = finder
    for (const [url, reason] of missingAssets) this.#assets.set(url, { reason, uses: 0, usedBy: [] })
    for (const id of missingIds) this.#references.set(id, { uses: 0, usedBy: [] })
  }

  /** False when nothing is missing, so that contents need not be looked at. */
  get hasWork(): boolean {
    return this.#assets.size > 0 || this.#references.size > 0 || this.#contents.length > 0
  }

  addContent(view: View, model: string, id: string, saved: boolean): void {
    this.#contents.push({ kind: 'content', view, model, id, saved })
  }

  addUnread(view: View, model: string, reason: string, saved: number): void {
    this.#contents.push({ kind: 'unread', view, model, reason, saved })
  }

  addShortCount(view: View, model: string, missing: number): void {
    this.#contents.push({ kind: 'count', view, model, missing })
  }

  /** Notes what of the missing this content uses. */
  look(view: View, model: string, id: string, fields: Record<string, unknown>): void {
    const { references, assets } = inspect(fields, this.#finder)
    const title = titleOf(fields)
    const use = { view, model, content: id, ...(title ? { title } : {}) }
    for (const url of new Set(assets)) addUse(this.#assets.get(url), use)
    for (const { id: target, field } of references) addUse(this.#references.get(target), { ...use, field })
    for (const gap of this.#contents) {
      if (gap.kind === 'content' && gap.view === view && gap.model === model && gap.id === id && title)
        gap.title = title
    }
  }

  /** Uses in the app's own meta (icon, cover). */
  lookAtApp(body: string): void {
    for (const url of inspectApp(body, this.#finder)) {
      addUse(this.#assets.get(url), { view: 'app', model: '', content: '' })
    }
  }

  /** In firm order; what only former versions of edited contents used is left out. */
  toLines(): Gap[] {
    const assets = [...this.#assets].filter(([, { uses }]) => uses > 0).sort(byKey)
    const references = [...this.#references].filter(([, { uses }]) => uses > 0).sort(byKey)
    const place = (gap: ModelGap) => `${gap.model}/${gap.view}/${gap.kind === 'content' ? gap.id : ''}`
    return [
      ...assets.map(([url, gap]) => ({ kind: 'asset' as const, url, ...gap })),
      ...references.map(([id, gap]) => ({ kind: 'reference' as const, id, ...gap })),
      ...this.#contents.sort((a, b) => (place(a) < place(b) ? -1 : 1)),
    ]
  }
}

function addUse(gap: { uses: number; usedBy: Use[] } | undefined, use: Use): void {
  if (!gap) return
  gap.uses += 1
  if (gap.usedBy.length < mostUsesListed) gap.usedBy.push(use)
}

function byKey([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0
}
