import type { AssetFinder } from '#archive/asset-urls.ts'
import { inspect, inspectApp, titleOf, type View } from '#archive/content.ts'
import { type Gap, mostUsesListed, type Use } from '#archive/format.ts'

type ModelGap = Extract<Gap, { kind: 'content' | 'count' | 'unread' }>

/** Collects the uses of missing items while contents are read. */
export class GapList {
  readonly #assets = new Map<string, { reason: string; uses: number; usedBy: Use[] }>()
  readonly #differing = new Map<string, { bytes: number; said: number; uses: number; usedBy: Use[] }>()
  readonly #references = new Map<string, { uses: number; usedBy: Use[] }>()
  /** Gaps of contents by the key of {@link placeOf}. */
  readonly #contents = new Map<string, ModelGap>()
  /** Host → URLs of embedded pictures that are not assets. */
  readonly #foreign = new Map<string, Set<string>>()
  readonly #finder: AssetFinder

  constructor(
    finder: AssetFinder,
    missingAssets: ReadonlyMap<string, string>,
    missingIds: Iterable<string>,
    differing: ReadonlyMap<string, { bytes: number; said: number }>,
  ) {
    this.#finder = finder
    for (const [url, reason] of missingAssets) this.#assets.set(url, { reason, uses: 0, usedBy: [] })
    for (const [url, sizes] of differing) this.#differing.set(url, { ...sizes, uses: 0, usedBy: [] })
    for (const id of missingIds) this.#references.set(id, { uses: 0, usedBy: [] })
  }

  /** Whether there are gaps whose uses must be found in the contents. */
  get hasWork(): boolean {
    return this.#assets.size + this.#differing.size + this.#references.size + this.#contents.size > 0
  }

  addContent(view: View, model: string, id: string, saved: boolean, lacks: string[] = []): void {
    this.#add({ kind: 'content', view, model, id, saved, ...(lacks.length > 0 ? { lacks } : {}) })
  }

  addUnread(view: View | `${View}-text`, model: string, reason: string, saved: number): void {
    this.#add({ kind: 'unread', view, model, reason, saved })
  }

  addShortCount(view: View, model: string, missing: number): void {
    this.#add({ kind: 'count', view, model, missing })
  }

  #add(gap: ModelGap): void {
    this.#contents.set(placeOf(gap), gap)
  }

  /** Records which missing items this content uses. */
  look(view: View, model: string, id: string, fields: Record<string, unknown>): void {
    const { references, inner, assets, foreignImages } = inspect(fields, this.#finder)
    for (const url of foreignImages) {
      const { host } = new URL(url)
      this.#foreign.set(host, (this.#foreign.get(host) ?? new Set()).add(url))
    }
    const title = titleOf(fields)
    const use = { view, model, content: id, ...(title ? { title } : {}) }
    for (const url of new Set(assets)) addUse(this.#assets.get(url) ?? this.#differing.get(url), use)
    for (const { id: target, field } of [...references, ...inner])
      addUse(this.#references.get(target), { ...use, field })
    const own = this.#contents.get(placeOf({ kind: 'content', view, model, id }))
    if (own?.kind === 'content' && title) own.title = title
  }

  /** Records uses in the app's metadata (icon, cover). */
  lookAtApp(body: string): void {
    for (const url of inspectApp(body, this.#finder)) {
      addUse(this.#assets.get(url), { view: 'app', model: '', content: '' })
    }
  }

  /** Returns the hosts of embedded pictures that are not assets, with the number of pictures. */
  foreignImages(): { host: string; images: number }[] {
    const hosts = [...this.#foreign].map(([host, urls]) => ({ host, images: urls.size }))
    return hosts.sort((a, b) => (a.host < b.host ? -1 : 1))
  }

  /** Returns the gaps in a stable order. Omits items that only earlier versions of edited contents used. */
  toLines(): Gap[] {
    const assets = [...this.#assets].filter(([, { uses }]) => uses > 0).sort(byKey)
    const differing = [...this.#differing].filter(([, { uses }]) => uses > 0).sort(byKey)
    const references = [...this.#references].filter(([, { uses }]) => uses > 0).sort(byKey)
    return [
      ...assets.map(([url, gap]) => ({ kind: 'asset' as const, url, ...gap })),
      ...differing.map(([url, gap]) => ({ kind: 'differs' as const, url, ...gap })),
      ...references.map(([id, gap]) => ({ kind: 'reference' as const, id, ...gap })),
      ...[...this.#contents].sort(byKey).map(([, gap]) => gap),
    ]
  }
}

/** Returns a sort key that groups gaps by model and view. */
function placeOf(gap: Pick<ModelGap, 'kind' | 'view' | 'model'> & { id?: string }): string {
  return `${gap.model}/${gap.view}/${gap.id ?? ''}/${gap.kind}`
}

function addUse(gap: { uses: number; usedBy: Use[] } | undefined, use: Use): void {
  if (!gap) return
  gap.uses += 1
  if (gap.usedBy.length < mostUsesListed) gap.usedBy.push(use)
}

function byKey([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0
}
