import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { setAccount } from '#admin/lib/session.ts'
import { answerRequests, renderInAdmin, type SeenRequest } from '#admin/lib/testing.tsx'
import { testAsset } from '#admin/media/test-asset.ts'
import type { Asset } from '#shared/contract/assets.ts'
import { AssetField } from './asset-field.tsx'
import type { AssetInputProps } from './asset-props.ts'

const me = 'b'.repeat(24)
const members = ['asset.read', 'asset.write.own']
const id = (letter: string) => letter.repeat(24)
const library: Asset[] = [
  testAsset({ _id: id('a'), fileName: '池.jpg', altText: '池の写真' }),
  testAsset({ _id: id('c'), fileName: '沼.jpg', createdBy: { _id: me, name: '山田 花' } }),
  testAsset({ _id: id('d'), fileName: '川.jpg', createdBy: { _id: id('e'), name: '佐藤' } }),
]
let seen: SeenRequest[]
const onChange = vi.fn()

beforeEach(() => {
  onChange.mockClear()
  setAccount({ _id: me, name: '山田 花' } as Parameters<typeof setAccount>[0])
  seen = answerRequests(({ method, path, body }) => {
    if (path.includes('/csrfToken')) return { body: { csrfToken: 'x' } }
    if (path.includes('/currentRole'))
      return { body: { currentRole: { uid: 'pjt-Member', rights: members, held: members } } }
    const one = library.find(({ _id }) => path.endsWith(`/assets/${_id}`))
    if (one && method === 'PATCH')
      return { body: { asset: { ...one, ...(body as { data: Partial<Asset> }).data } } }
    return { body: { assets: library, total: library.length, isMore: false, page: 1, limit: 100 } }
  })
})
afterEach(() => {
  cleanup()
  setAccount(null)
  vi.restoreAllMocks()
})

const show = (value: unknown, props: Partial<AssetInputProps> = {}) =>
  renderInAdmin(
    <>
      <span id="label">写真</span>
      <AssetField
        field={{ multiple: true, accept: 'image/*', maxItems: 3 }}
        value={value}
        onChange={onChange}
        onBlur={() => undefined}
        readOnly={false}
        issues={[]}
        id="photos"
        labelId="label"
        describedBy={undefined}
        place={{ p: 'pond', a: 'blog' }}
        {...props}
      />
    </>,
  )

it('an asset field loads two assets with one request, and shows the id of a missing asset', async () => {
  await show([id('a'), id('f')])
  expect(await screen.findByText('池.jpg')).toBeDefined()
  expect(await screen.findByText(/^ファイルが見つかりません/)).toBeDefined()
  expect(screen.getByText(id('f'))).toBeDefined()
  const lists = seen.filter(({ path }) => path.includes('/assets?'))
  expect(lists.map(({ path }) => new URLSearchParams(path.split('?')[1]).get('ids'))).toEqual([
    `${id('a')},${id('f')}`,
  ])
  const [first] = screen.getAllByRole('button', { name: /を外す$/ })
  fireEvent.click(first as HTMLElement)
  expect(onChange).toHaveBeenCalledWith([id('f')])
})

it('an asset field warns of missing alternative texts, with an input if the user may edit the asset', async () => {
  await show([id('c'), id('d')])
  const items = await screen.findAllByRole('listitem')
  await waitFor(() =>
    expect(items.map(({ textContent }) => textContent)).toEqual([
      expect.stringContaining('代替テキストがありません'),
      expect.stringContaining('代替テキストがありません'),
    ]),
  )
  expect(within(items[1] as HTMLElement).queryByRole('button', { name: '入力する' })).toBeNull()
  fireEvent.click(await within(items[0] as HTMLElement).findByRole('button', { name: '入力する' }))
  const input = screen.getByLabelText('「沼.jpg」の代替テキスト')
  fireEvent.change(input, { target: { value: ' 夕方の沼 ' } })
  fireEvent.blur(input)
  await waitFor(() =>
    expect(seen.find(({ method }) => method === 'PATCH')?.body).toEqual({ data: { altText: '夕方の沼' } }),
  )
})

it('an asset field disables the media button at `maxItems`, and has no buttons when it is read-only', async () => {
  await show([id('a'), id('c'), id('d')])
  await screen.findByText('池.jpg')
  const choose = screen.getByRole('button', { name: 'メディアから選ぶ' })
  expect((choose as HTMLButtonElement).disabled).toBe(true)
  cleanup()
  await show([id('a')], { readOnly: true })
  await screen.findByText('池.jpg')
  expect(screen.queryAllByRole('button')).toEqual([])
  expect(screen.getByRole('link', { name: '「池.jpg」をメディアで開く' })).toBeDefined()
})
