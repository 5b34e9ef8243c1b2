import { useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { toast } from '#admin/lib/toast.ts'
import type { Asset } from '#shared/contract/assets.ts'
import { kindOf } from '../asset-words.ts'
import { assetQuery, assetsChanged } from '../assets.queries.ts'
import { useAssetRights } from '../use-asset-rights.ts'

export interface PickedOptions {
  p: string
  /**
   * Allows several assets, in order. A single asset is accepted on click, unless the dialog asks for its alternative
   * text.
   */
  multiple?: boolean
  /** Maximum number of assets; null and undefined: unlimited. */
  maximum?: number | null
  /** `_id`s of the initially selected assets, in order. */
  chosen?: readonly string[]
  /** Called with the selected assets in order, or with null if the user cancels. The caller unmounts the dialog. */
  onClose: (assets: Asset[] | null) => void
}

/** Returns the selection of a picker in order, and the alternative texts entered in it. */
export function usePicked({ p, multiple = false, maximum = null, chosen = [], onClose }: PickedOptions) {
  const rights = useAssetRights(p)
  const [ids, setIds] = useState<readonly string[]>(chosen)
  const [seen, setSeen] = useState<ReadonlyMap<string, Asset>>(new Map())
  const [altTexts, setAltTexts] = useState<ReadonlyMap<string, string>>(new Map())
  const [saving, setSaving] = useState(false)
  // Assets that were selected earlier may not be on a loaded page.
  const missing = ids.filter((id) => !seen.has(id))
  const found = useQueries({ queries: missing.map((id) => assetQuery(p, id)) })
  const known = new Map([...seen, ...found.flatMap(({ data }) => (data ? [[data._id, data] as const] : []))])
  const assets = ids.flatMap((id) => known.get(id) ?? [])

  /** Returns whether to ask for the alternative text of a picture: it is missing, and the user may edit it. */
  const asks = (asset: Asset) =>
    kindOf(asset.fileType) === 'image' && asset.altText === '' && rights.edit(asset)

  function remember(added: readonly Asset[]) {
    setSeen((before) => new Map([...before, ...added.map((asset) => [asset._id, asset] as const)]))
  }

  /** Appends assets up to the maximum. In single mode, the last one replaces the selection. */
  function add(added: readonly Asset[]) {
    remember(added)
    setIds((before) => {
      const last = added.at(-1)
      if (!multiple) return last ? [last._id] : before
      const fresh = added.map(({ _id }) => _id).filter((id) => !before.includes(id))
      return [...before, ...fresh].slice(0, maximum ?? undefined)
    })
  }

  function toggle(asset: Asset) {
    if (ids.includes(asset._id)) setIds(ids.filter((id) => id !== asset._id))
    else add([asset])
  }

  /** Saves the entered alternative texts and closes with the selection. Shows an error if a text cannot be saved. */
  async function finish() {
    setSaving(true)
    const results: Asset[] = []
    try {
      for (const asset of assets) {
        const altText = altTexts.get(asset._id)?.trim()
        if (!altText || !asks(asset)) results.push(asset)
        else {
          const answer = await api('PATCH /api/project/{p}/assets/{id}', {
            params: { p, id: asset._id },
            body: { data: { altText } },
          })
          results.push(answer.asset)
          void assetsChanged(p, answer.asset)
        }
      }
      onClose(results)
    } catch (error) {
      toast.error(errorText(error))
      setSaving(false)
    }
  }

  return {
    ids,
    assets,
    asked: assets.filter(asks),
    altTexts,
    saving,
    /** Whether the dialog does not ask for an alternative text of the asset. */
    isReady: (asset: Asset) => !asks(asset),
    toggle,
    add,
    move: (from: number, to: number) => {
      const moved = ids[from]
      if (moved !== undefined) setIds(ids.toSpliced(from, 1).toSpliced(to, 0, moved))
    },
    setAltText: (id: string, text: string) => setAltTexts((before) => new Map([...before, [id, text]])),
    finish,
  }
}
