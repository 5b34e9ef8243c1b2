import { describe, expect, it } from 'vitest'
import { leastCpuTime } from '#test/growth.ts'
import {
  assetAddress,
  assetIdsIn,
  assetsNamedIn,
  isAssetAddress,
  mapAssetAddresses,
} from './asset-address.ts'

const id = (digit: string) => digit.repeat(24)

it('assetIdsIn returns the ids in addresses with and without a wildcard domain, and in addresses of Newt', () => {
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

it('assetIdsIn ignores addresses without ".assets", without a file name, or with an id of 25 digits', () => {
  const others = [
    `https://example.com/v1/${id('a')}/a.png`,
    `/acme.cdn/v1/${id('a')}/a.png`,
    `/acme.assets/v1/${id('a')}`,
    `/acme.assets/v1/${'a'.repeat(25)}/a.png`,
  ]
  expect(assetIdsIn(others.join(' '))).toEqual([])
})

it('assetIdsIn finds an id after a valid asset host, and none after an invalid host or another path', () => {
  const found = (text: string) => assetIdsIn(`${text}/v1/${id('a')}/a.png`)
  for (const text of [
    '.assets.assets',
    '.assets.assets.example.com:80',
    '.assetsx.assets',
    `.assets.${'x'.repeat(253)}`,
  ])
    expect([text, found(text)]).toEqual([text, [id('a')]])
  for (const text of ['.assets.', '.assets.a/b', '.assetsx', `.assets.${'x'.repeat(254)}`])
    expect([text, found(text)]).toEqual([text, []])
  const [space] = assetsNamedIn(`acme.assets.${'x'.repeat(300)}.assets/v1/${id('a')}/a.png`, 'x'.repeat(64))
  expect(space).toBeUndefined()
  expect(
    mapAssetAddresses(`/a.assets.b/v1/${id('a')}/x c.assets:1/v1/${id('b')}/y`, (one) => `${one[0]}!`),
  ).toBe('a!x b!y')
})

it('assetIdsIn takes less than ten times as long for a repeated ".assets." as for a repeated ".assets/"', {
  tags: ['full'],
}, () => {
  const short = leastCpuTime(() => assetIdsIn('.assets/'.repeat(100_000)))
  expect(leastCpuTime(() => assetIdsIn('.assets.'.repeat(100_000)))).toBeLessThan(10 * short)
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
  ])('changes %s to %j (null: no change)', (text, expected) => {
    expect(mapAssetAddresses(text, to)).toBe(expected ?? text)
  })

  it('returns a long text without addresses unchanged', () => {
    const text = `${'a'.repeat(500_000)}${'/'.repeat(500_000)}`
    expect(mapAssetAddresses(text, to)).toBe(text)
  })
})

it('isAssetAddress accepts an asset address, and rejects texts that contain one among other text', () => {
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

it('assetsNamedIn returns each asset of one space once, with the file name in its first address', () => {
  const [first, second, third] = ['a', 'b', 'c'].map((sign) => sign.repeat(24))
  const text = [
    `<img src="https://cms.example.jp/acme.assets/v1/${first}/%E6%B1%A0.png?w=1">`,
    `![](/acme.assets/v1/${first}/other.png)`,
    `[x](https://acme.assets.newt.so/v1/${second}/a%ZZ.pdf)`,
    `<img src="/acme-2.assets/v1/${third}/b.png"><img src="/2-acme.assets/v1/${third}/b.png">`,
  ].join('\n')
  expect(assetsNamedIn(text, 'acme')).toEqual([
    { id: first, fileName: '池.png' },
    { id: second, fileName: 'a%ZZ.pdf' },
  ])
})
