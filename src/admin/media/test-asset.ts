import type { Asset } from '#shared/contract/assets.ts'

/** For tests: a picture of the library. */
export function testAsset(part: Partial<Asset> = {}): Asset {
  return {
    _id: 'a'.repeat(24),
    fileName: 'ike.jpg',
    fileType: 'image/jpeg',
    fileSize: 120_000,
    src: '/v1/aaaaaaaaaaaaaaaaaaaaaaaa/ike.jpg',
    thumbnail: null,
    placeholder: null,
    width: 1600,
    height: 1200,
    title: '',
    description: '',
    altText: '',
    metadata: {},
    tags: [],
    focalPoint: null,
    private: false,
    hash: '0'.repeat(64),
    duplicateOf: null,
    useCount: null,
    elsewhere: false,
    restorable: false,
    version: 1,
    createdAt: '2026-11-21T00:00:00.000Z',
    updatedAt: '2026-11-21T00:00:00.000Z',
    createdBy: { _id: 'b'.repeat(24), name: '山田 花' },
    updatedBy: null,
    ...part,
  }
}
