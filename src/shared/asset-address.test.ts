import { describe, expect, it } from 'vitest'
import { assetAddress, assetIdsIn, isAssetAddress, mapAssetAddresses } from './asset-address.ts'

const id = (digit: string) => digit.repeat(24)

it('finds assets by every form of their addresses', () => {
  const addresses = [
    assetAddress({ url: 'http://localhost:3000' }, 'acme', id('a'), '写真.png'),
    assetAddress({ url: 'https://cms.example', domain: 'cms.example' }, 'acme', id('b'), 'b.png'),
    assetAddress({ url: 'http://x', domain: 'cms.example:3000' }, 'acme', id('c'), 'c.png'),
    `/acme.assets.newt.so/v1/${id('d')}/d.png?width=100`,
    `/acme.assets/v1/${id('a')}/again.png`,
  ]
  const html = addresses.map((address) => `<img src="${address}" alt="">`).join('')
  expect(assetIdsIn(html)).toEqual(['a', 'b', 'c', 'd', 'a'].map(id))
  expect(assetIdsIn(addresses.map((address) => `![](${address})`).join('\n'))).toHaveLength(5)
})

it('takes nothing else for one', () => {
  const others = [
    `https://example.com/v1/${id('a')}/a.png`,
    `/acme.cdn/v1/${id('a')}/a.png`,
    `/acme.assets/v1/${id('a')}`,
    `/acme.assets/v1/${'a'.repeat(25)}/a.png`,
  ]
  expect(assetIdsIn(others.join(' '))).toEqual([])
})

it('reads hostile texts in no time', () => {
  const started = performance.now()
  assetIdsIn('a.assets.'.repeat(100_000))
  expect(performance.now() - started).toBeLessThan(5_000)
})

describe('mapAssetAddresses', () => {
  const id = '0123456789abcdef01234567'
  const to = (known: string) => (known === id ? 'NEW/' : undefined)

  it.each([
    [`https://acme.assets.example.com/v1/${id}/a.png?w=8`, 'NEW/a.png?w=8'],
    [`//acme.assets.example.com:8080/v1/${id}/a.png`, 'NEW/a.png'],
    [
      `<img src="https://cms.example.com/acme.assets/v1/${id}/%E6%9C%9D.png">`,
      '<img src="NEW/%E6%9C%9D.png">',
    ],
    [`(/acme.assets/v1/${id}/a.png) と /acme.assets/v1/${id}/b.png`, '(NEW/a.png) と NEW/b.png'],
    [`https://x.example/acme.assets.newt.so/v1/${id}/a`, 'NEW/a'],
    [`imori-asset://${id}/a.png`, 'NEW/a.png'],
    [`https://acme.assets.example.com/v1/${'f'.repeat(24)}/a.png`, null],
    [`https://acme.example.com/v1/${id}/a.png`, null],
  ])('gives %s another beginning, or leaves it', (text, expected) => {
    expect(mapAssetAddresses(text, to)).toBe(expected ?? text)
  })

  it('does not stop at a long text', () => {
    const text = `${'a'.repeat(500_000)}${'/'.repeat(500_000)}`
    expect(mapAssetAddresses(text, to)).toBe(text)
  })
})

it('knows a text that is the address of an asset, and nothing else', () => {
  const asset = '0123456789abcdef01234567'
  for (const text of [
    `https://cms.example.com/acme.assets/v1/${asset}/a%20b.png`,
    `https://acme.assets.example.com:8080/v1/${asset}/a.png?width=80&format=webp`,
    `//acme.assets.example.com/v1/${asset}/a.png`,
    `/acme.assets/v1/${asset}/a.png`,
    `imori-asset://${asset}/a.png?width=80`,
  ])
    expect(isAssetAddress(text), text).toBe(true)
  for (const text of [
    `見て https://cms.example.com/acme.assets/v1/${asset}/a.png`,
    `https://cms.example.com/acme.assets/v1/${asset}/a.png です`,
    `https://cms.example.com/acme.assets/v1/${asset}/`,
    `https://cms.example.com/?next=/acme.assets/v1/${asset}/a.png`,
    `<img src="/acme.assets/v1/${asset}/a.png">`,
    'https://cms.example.com/a.png',
    '',
  ])
    expect(isAssetAddress(text), text).toBe(false)
})
