import { expect, it, vi } from 'vitest'
import { ApiError } from '#admin/lib/api.ts'
import { testAsset } from '#admin/media/test-asset.ts'
import type { Asset } from '#shared/contract/assets.ts'
import { AssetEditor } from './asset-editor.ts'

/** A library with one asset. `write` changes it as another user would. */
function library() {
  let stored: Asset = testAsset({ title: '池', version: 1 })
  const write = (change: Partial<Asset>) => {
    stored = { ...stored, ...change, version: stored.version + 1 }
    return stored
  }
  const onSaved = vi.fn()
  const sent: object[] = []
  const gate = { before: () => Promise.resolve() }
  const editor = new AssetEditor(stored, {
    save: async (change, version) => {
      await gate.before()
      sent.push(change)
      if (version !== stored.version) throw new ApiError(409, { code: 'VersionConflict' })
      return write(change)
    },
    load: async () => stored,
    onSaved,
    onChange: () => undefined,
  })
  return { editor, write, sent, onSaved, gate, stored: () => stored }
}

it('AssetEditor sends only changed properties', async () => {
  const { editor, sent, onSaved } = library()
  editor.set({ altText: '夕方の池' })
  expect(editor.isDirty).toBe(true)
  await editor.save()
  expect(sent).toEqual([{ altText: '夕方の池' }])
  expect(editor.isDirty).toBe(false)
  expect(onSaved).toHaveBeenCalledOnce()
  await editor.save()
  expect(sent).toHaveLength(1)
})

it('AssetEditor sends input typed during a save in a second request', async () => {
  const { editor, sent, gate } = library()
  let go = () => undefined as undefined
  gate.before = () =>
    new Promise((resolve) => {
      go = () => resolve() as undefined
    })
  editor.set({ title: '朝' })
  const saving = editor.save()
  editor.set({ title: '朝の池' })
  gate.before = () => Promise.resolve()
  go()
  await saving
  expect(sent).toEqual([{ title: '朝' }, { title: '朝の池' }])
  expect(editor.values.title).toBe('朝の池')
})

it("AssetEditor saves a change and keeps another user's change of a different property", async () => {
  const { editor, write, stored } = library()
  write({ description: '別の人の説明' })
  editor.set({ title: '夏の池' })
  await editor.save()
  expect(editor.phase).toBe('idle')
  expect(stored()).toMatchObject({ title: '夏の池', description: '別の人の説明' })
  expect(editor.values.description).toBe('別の人の説明')
})

it.each([
  [true, '夏の池'],
  [false, '冬の池'],
])(
  'AssetEditor reports a conflict of two changes of one property, and applies the decision (mine: %s)',
  async (mine, title) => {
    const { editor, write, stored } = library()
    write({ title: '冬の池' })
    editor.set({ title: '夏の池', altText: '水面' })
    await editor.save()
    expect(editor.phase).toBe('conflict')
    expect(editor.conflict?.names).toEqual(['title'])
    expect(stored().title).toBe('冬の池')
    await editor.resolve(mine)
    expect(editor.phase).toBe('idle')
    expect(stored()).toMatchObject({ title, altText: '水面' })
  },
)

it('AssetEditor keeps input and reports the phase "offline" when the server is unreachable', async () => {
  const { editor, gate, stored } = library()
  gate.before = () => Promise.reject(new ApiError(0, { code: 'NetworkError' }))
  editor.set({ title: '夏の池' })
  await editor.save()
  expect(editor.phase).toBe('offline')
  gate.before = () => Promise.resolve()
  await editor.save()
  expect(stored().title).toBe('夏の池')
})

it('AssetEditor takes over a newer title, and keeps unsaved input of another property', () => {
  const { editor, write } = library()
  editor.set({ altText: '水面' })
  editor.take(write({ title: '冬の池' }))
  expect(editor.values).toMatchObject({ title: '冬の池', altText: '水面' })
})
