import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { setAccount } from '#admin/lib/session.ts'
import { answerRequests, renderInAdmin, type SeenRequest } from '#admin/lib/testing.tsx'
import type { Asset } from '#shared/contract/assets.ts'
import { testAsset } from '../test-asset.ts'
import { AssetPicker, type AssetPickerProps } from './asset-picker.tsx'

const me = 'b'.repeat(24)
const members = ['asset.read', 'asset.write.own']
const picture = (letter: string, part: Partial<Asset> = {}) =>
  testAsset({ _id: letter.repeat(24), title: `写真${letter}`, altText: '池の写真', ...part })

let library: Asset[]
let seen: SeenRequest[]
const onClose = vi.fn()

/** The test DOM has no layout, so each element gets the size of a small window. */
beforeEach(() => {
  onClose.mockClear()
  library = [picture('a'), picture('c'), picture('d', { altText: '' })]
  vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(800)
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(600)
  vi.stubGlobal(
    'ResizeObserver',
    class {
      private readonly tell: ResizeObserverCallback
      constructor(tell: ResizeObserverCallback) {
        this.tell = tell
      }
      observe(target: Element) {
        const contentRect = { width: 800, height: 600 }
        this.tell([{ target, contentRect } as ResizeObserverEntry], this as unknown as ResizeObserver)
      }
      unobserve() {}
      disconnect() {}
    },
  )
  setAccount({ _id: me, name: '山田 花' } as Parameters<typeof setAccount>[0])
  seen = answerRequests(({ method, path, body }) => {
    if (path.includes('/csrfToken')) return { body: { csrfToken: 'x' } }
    if (path.includes('/currentRole'))
      return { body: { currentRole: { uid: 'pjt-Member', rights: members, held: members } } }
    if (path.includes('/tags')) return { body: { tags: [] } }
    const one = library.find(({ _id }) => path.endsWith(`/assets/${_id}`))
    if (one && method === 'PATCH') {
      const { data } = body as { data: Partial<Asset> }
      return { body: { asset: { ...one, ...data } } }
    }
    if (one) return { body: { asset: one } }
    return { body: { assets: library, total: library.length, isMore: false, page: 1, limit: 100 } }
  })
})
afterEach(() => {
  cleanup()
  setAccount(null)
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const open = (props: Partial<AssetPickerProps> = {}) =>
  renderInAdmin(<AssetPicker p="pond" accept="image/*" onClose={onClose} {...props} />)

const tile = async (name: string) => {
  const text = await screen.findByText(name)
  return text.closest('[role="gridcell"]') as HTMLElement
}
const answer = () => (onClose.mock.calls[0]?.[0] as Asset[] | null)?.map(({ _id }) => _id[0])

it('the asset picker returns a clicked picture, and passes `accept` to the asset request', async () => {
  await open()
  fireEvent.click(await tile('写真c'))
  await waitFor(() => expect(answer()).toEqual(['c']))
  const list = seen.find(({ path }) => path.includes('/assets?'))
  expect(new URLSearchParams(list?.path.split('?')[1]).get('accept')).toBe('image/*')
})

it("the asset picker asks for a missing alternative text of the user's own picture, and saves the text", async () => {
  await open()
  fireEvent.click(await tile('写真d'))
  const input = await screen.findByLabelText('「写真d」の代替テキスト')
  expect(onClose).not.toHaveBeenCalled()
  fireEvent.change(input, { target: { value: ' 夕暮れの池 ' } })
  fireEvent.click(screen.getByRole('button', { name: '選択する' }))
  await waitFor(() => expect(onClose).toHaveBeenCalledOnce())
  expect(onClose.mock.calls[0]?.[0]).toMatchObject([{ altText: '夕暮れの池' }])
  expect(seen.find(({ method }) => method === 'PATCH')?.body).toEqual({ data: { altText: '夕暮れの池' } })
})

it('the asset picker does not ask for the alternative text of a picture that the user may not edit', async () => {
  library = [picture('e', { altText: '', createdBy: { _id: 'f'.repeat(24), name: '佐藤' } })]
  await open()
  fireEvent.click(await tile('写真e'))
  await waitFor(() => expect(answer()).toEqual(['e']))
})

it('the asset picker returns at most `maximum` pictures, in the order that the user has chosen', async () => {
  await open({ multiple: true, maximum: 2, chosen: ['c'.repeat(24)] })
  fireEvent.click(await tile('写真a'))
  const chosen = await screen.findByRole('list', { name: '選択したファイル（並び順）' })
  expect(within(chosen).getAllByRole('listitem')).toHaveLength(2)
  fireEvent.click(await tile('写真d'))
  expect(within(chosen).getAllByRole('listitem')).toHaveLength(2)
  fireEvent.click(screen.getByRole('button', { name: '「写真a」を左に移動' }))
  fireEvent.click(screen.getByRole('button', { name: '選択する' }))
  await waitFor(() => expect(answer()).toEqual(['a', 'c']))
})

it('the asset picker returns null when it is cancelled', async () => {
  await open({ multiple: true })
  fireEvent.click(await tile('写真a'))
  fireEvent.click(screen.getByRole('button', { name: 'キャンセル' }))
  expect(onClose).toHaveBeenCalledWith(null)
})
