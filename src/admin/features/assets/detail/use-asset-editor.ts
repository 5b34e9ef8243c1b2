import { useEffect, useReducer, useRef } from 'react'
import { ApiError, api } from '#admin/lib/api.ts'
import { useReconnect } from '#admin/lib/use-reconnect.ts'
import { assetsChanged } from '#admin/media/assets.queries.ts'
import type { SaveStateValue } from '#admin/ui/save-state.tsx'
import type { Asset } from '#shared/contract/assets.ts'
import { AssetEditor, type AssetTexts } from './asset-editor.ts'

/** The pause in typing before a save, in milliseconds. */
const rest = 800

/**
 * Edits an asset's properties. Saves automatically after a pause in typing. A pause during an IME composition does not
 * save.
 */
export function useAssetEditor(p: string, asset: Asset) {
  const [, draw] = useReducer((count: number) => count + 1, 0)
  const kept = useRef<AssetEditor | null>(null)
  kept.current ??= new AssetEditor(asset, {
    save: async (change, version) =>
      (
        await api('PATCH /api/project/{p}/assets/{id}', {
          params: { p, id: asset._id },
          body: { data: { ...change, version } },
        })
      ).asset,
    load: async () => (await api('GET /api/project/{p}/assets/{id}', { params: { p, id: asset._id } })).asset,
    onSaved: (saved) => void assetsChanged(p, saved),
    onChange: draw,
  })
  const editor = kept.current
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const composing = useRef(false)
  // After a replacement of the file or another user's save, properties without unsaved input are updated.
  useEffect(() => editor.take(asset), [editor, asset])
  useReconnect(editor.phase === 'offline', () => void editor.save())

  function plan() {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      if (!composing.current) void editor.save()
    }, rest)
  }
  function flush() {
    clearTimeout(timer.current)
    void editor.save()
  }

  // Saves the last input when the details are closed.
  useEffect(
    () => () => {
      clearTimeout(timer.current)
      void editor.save()
    },
    [editor],
  )
  useEffect(() => {
    if (!editor.isDirty) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  })

  return {
    values: editor.values,
    /** Changes properties. `now`: saves immediately, for selections instead of typing. */
    set: (part: Partial<AssetTexts>, now = false) => {
      editor.set(part)
      if (now) flush()
      else plan()
    },
    flush,
    state: stateOf(editor),
    error: editor.error instanceof ApiError ? editor.error : null,
    /** The conflict with another user's change. null: no conflict. */
    conflict: editor.conflict,
    resolve: (mine: boolean) => void editor.resolve(mine),
    composition: {
      onCompositionStart: () => {
        composing.current = true
      },
      onCompositionEnd: () => {
        composing.current = false
        plan()
      },
    },
  }
}

function stateOf(editor: AssetEditor): SaveStateValue {
  if (editor.phase !== 'idle') return { state: editor.phase }
  if (editor.isDirty) return { state: 'unsaved' }
  return { state: 'saved', at: new Date(editor.base.updatedAt) }
}
