import { expect, it } from 'vitest'
import { assetAddress, assetIdsIn } from './asset-address.ts'

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
