import { cleanup, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { renderInAdmin } from '#admin/lib/testing.tsx'
import type { Asset } from '#shared/contract/assets.ts'
import { AssetLine } from './asset-tile.tsx'

afterEach(cleanup)

const asset = (name: string) =>
  ({
    _id: 'a'.repeat(24),
    fileName: 'note.pdf',
    fileType: 'application/pdf',
    fileSize: 10,
    width: null,
    height: null,
    title: '',
    altText: '',
    thumbnail: null,
    tags: [],
    createdAt: '2026-05-01T03:04:00.000Z',
    createdBy: { _id: 'b'.repeat(24), name },
  }) as unknown as Asset

it('a line of the asset list shows the name of the uploader, and a placeholder for an empty name', async () => {
  await renderInAdmin(
    <>
      <AssetLine asset={asset('太郎')} />
      <AssetLine asset={asset('')} />
    </>,
  )
  expect(screen.getByText('太郎')).toBeTruthy()
  expect(screen.getByText('名前のないメンバー')).toBeTruthy()
})
