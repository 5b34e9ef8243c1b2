import { describe, expect, it } from 'vitest'
import { cpuTime } from '#test/growth.ts'
import { createAssetFinder } from './asset-urls.ts'

const finder = createAssetFinder({ assetHosts: ['media.example.com'], origin: 'http://127.0.0.1:4000' })
const a = 'https://demo.assets.newt.so/v1/abc'
const g = 'https://storage.googleapis.com/p_1/uuid'

describe('AssetFinder.inText', () => {
  it.each([
    ['a whole address', `${a}/x.png`, [`${a}/x.png`]],
    [
      'raw Japanese with a space, in quotes',
      `<img src="${a}/日本 語.png">`,
      [`${a}/%E6%97%A5%E6%9C%AC%20%E8%AA%9E.png`],
    ],
    ['an encoded name', `<img src='${g}/%E6%97%A5.png'>`, [`${g}/%E6%97%A5.png`]],
    [
      'a resized copy, as the address of its original',
      `<img src="${a}/x.png?width=8&amp;format=auto">`,
      [`${a}/x.png`],
    ],
    ['brackets in HTML', `<a href="${a}/x (1).pdf">`, [`${a}/x%20(1).pdf`]],
    ['an apostrophe in double quotes', `<img src="${a}/it's.png">`, [`${a}/it's.png`]],
    ['entities in a name', `<img src="${a}/a&amp;b&#39;c&#x64;.png">`, [`${a}/a&b'cd.png`]],
    ['srcset', `<img srcset="${a}/1.png 1x, ${a}/2.png?w=2 2x">`, [`${a}/1.png`, `${a}/2.png`]],
    ['Markdown', `![図](${g}/y_(2).png) と。`, [`${g}/y_(2).png`]],
    ['a sentence', `見て ${a}/x.png。`, [`${a}/x.png`]],
    ['a sentence in English', `See ${a}/x.png, please.`, [`${a}/x.png`]],
    ['an address without a scheme', `<img src="//demo.assets.newt.so/v1/abc/x.png">`, [`${a}/x.png`]],
    ['an http address', `<img src="http://demo.assets.newt.so/v1/abc/x.png">`, [`${a}/x.png`]],
    [
      'a storage host of the space, with the query',
      'src="https://media.example.com/a.png?v=2#top"',
      ['https://media.example.com/a.png?v=2'],
    ],
    [
      'a local server',
      'src="http://127.0.0.1:4000/demo.assets.newt.so/v1/abc/x.png"',
      ['http://127.0.0.1:4000/demo.assets.newt.so/v1/abc/x.png'],
    ],
    ['an unclosed quote', `<img src="${a}/x.png>`, [`${a}/x.png`]],
    ['srcset without descriptors', `<img srcset="${a}/1.png, ${a}/2.png 2x">`, [`${a}/1.png`, `${a}/2.png`]],
    ['CSS', `<div style="background:url(${a}/1.png)">`, [`${a}/1.png`]],
    ['CSS in quotes', `<div style="background:url('${a}/it (1).png')">`, [`${a}/it%20(1).png`]],
    ['CSS in entities', `<div style="background:url(&quot;${a}/1.png&quot;)">`, [`${a}/1.png`]],
    [
      'JSON in an attribute',
      `<div data-x="{&quot;src&quot;:&quot;${a}/1.png?w=1&amp;h=2&quot;,&quot;n&quot;:1}">`,
      [`${a}/1.png`],
    ],
    [
      'JSON in an attribute, escaped twice',
      `"{&amp;quot;src&amp;quot;:&amp;quot;${a}/1.png&amp;quot;}"`,
      [`${a}/1.png`],
    ],
    ['JSON in a string', `{\\"src\\":\\"${a}/1.png\\",\\"n\\":1}`, [`${a}/1.png`]],
    ['JSON with escaped slashes', `{"src":"${a.replaceAll('/', '\\/')}\\/1.png","n":1}`, [`${a}/1.png`]],
    [
      'JSON with escaped slashes in a string',
      `{\\"src\\":\\"${a.replaceAll('/', '\\\\/')}\\\\/1.png\\"}`,
      [`${a}/1.png`],
    ],
    ['slashes as code units', `"${a.replaceAll('/', '\\u002F')}\\u002F1.png"`, [`${a}/1.png`]],
    ['slashes as entities', `<img src="${a.replaceAll('/', '&#x2F;')}&#47;1.png">`, [`${a}/1.png`]],
    [
      'an address in the query of another address',
      `<img src="/_next/image?url=${encodeURIComponent(`${a}/%E6%97%A5.png?w=1`)}&amp;w=640">`,
      [`${a}/%E6%97%A5.png`],
    ],
    ['Markdown in angle brackets', `![図](<${a}/日 本.png>)`, [`${a}/%E6%97%A5%20%E6%9C%AC.png`]],
    ['Japanese without a space', `画像は${a}/x.pngです。`, [`${a}/x.png`]],
    ['Japanese in the name and after it', `画像は${g}/日本.pngです。`, [`${g}/%E6%97%A5%E6%9C%AC.png`]],
    ['an unquoted attribute', `<img src=${a}/x.png alt=x>`, [`${a}/x.png`]],
    [
      'a signed address',
      `"${g}/x.png?X-Goog-Signature=ab&amp;X-Goog-Expires=9"`,
      [`${g}/x.png?X-Goog-Signature=ab&X-Goog-Expires=9`],
    ],
    ['an address in upper case', `HTTPS://DEMO.ASSETS.NEWT.SO/v1/abc/x.png`, [`${a}/x.png`]],
    [
      'an address without a subdomain',
      `<img src="https://assets.newt.so/v1/abc/x.png?w=1">`,
      ['https://assets.newt.so/v1/abc/x.png'],
    ],
    [
      "Newt's own bucket",
      `![](https://storage.googleapis.com/newt-images/x/y.png)`,
      ['https://storage.googleapis.com/newt-images/x/y.png'],
    ],
    ['a text with two addresses', `${a}/1.png ${a}/2.png`, [`${a}/1.png`, `${a}/2.png`]],
  ])('finds the addresses in: %s', (_, text, expected) => expect(finder.inText(text)).toEqual(expected))

  it.each([
    'https://example.com/a.png',
    'https://evil.example/?u=demo.assets.newt.so/v1/x',
    'https://demo.assets.newt.so.evil.example/v1/x.png',
    'https://storage.googleapis.com/other-bucket/x.png',
    'ftp://demo.assets.newt.so/v1/x.png no',
    `https://demo.assets.newt.so/v1/${'x'.repeat(5_000)}`,
    'no address at all // really',
  ])('finds no address on another host, and no overlong address, in %s', (text) => {
    const found = finder.inText(text).filter((url) => !url.startsWith('https://demo.assets.newt.so/v1/x.png'))
    expect(found).toEqual([])
  })

  it('takes less than 2 seconds of CPU time for seven long hostile texts', () => {
    const reading = () => {
      finder.inText(`//demo.assets.newt.so/v1/${'('.repeat(200_000)}`)
      finder.inText('//storage.googleapis.com/p_'.repeat(20_000))
      finder.inText(`"https://demo.assets.newt.so/v1/${' 1'.repeat(100_000)}`)
      finder.inText(`storage.googleapis.com ${'\\'.repeat(100_000)}`)
      finder.inText(`https:${'\\'.repeat(100_000)}/storage.googleapis.com/p_`)
      finder.inText(`storage.googleapis.com ${'&#0'.repeat(50_000)}${'0'.repeat(100_000)}`)
      finder.inText(`//storage.googleapis.com/p_${'.png'.repeat(100_000)}`)
    }
    expect(cpuTime(reading)).toBeLessThan(2_000)
  })
})

describe('AssetFinder.ofSource', () => {
  it('removes the query of an address of Newt, and keeps the query on an unknown host', () => {
    expect(finder.ofSource(`${a}/x.png?width=1`)).toBe(`${a}/x.png`)
    expect(finder.ofSource('https://cdn.example.net/x.png?sig=1')).toBe('https://cdn.example.net/x.png?sig=1')
  })
  it.each(['', 'data:image/png;base64,x'])('returns undefined for %j', (src) =>
    expect(finder.ofSource(src)).toBeUndefined(),
  )
  it.each(['javascript:alert(1)', 'https://u:p@example.com/x', '/relative'])('returns %s unchanged', (src) =>
    expect(finder.ofSource(src)).toBe(src),
  )
  it('adds https to an address without a scheme', () =>
    expect(finder.ofSource('//cdn.example.net/x.png')).toBe('https://cdn.example.net/x.png'))
})

describe('AssetFinder', () => {
  const learnt = ['files.example.net', 'storage.googleapis.com/my-bucket']
  const knowing = createAssetFinder({ assetHosts: [], learnt })

  it.each([
    ['https://files.example.net/a/b.png', 'files.example.net'],
    ['https://storage.googleapis.com/my-bucket/b.png', 'storage.googleapis.com/my-bucket'],
    ['https://firebasestorage.googleapis.com/v0/b/me/o/x.png', 'firebasestorage.googleapis.com/v0/b/me'],
    [`${a}/x.png`, undefined],
    [`${g}/x.png`, undefined],
    ['https://media.example.com/x.png', undefined],
    ['not an address', undefined],
  ])('placeOf(%s) returns %s', (url, place) => expect(finder.placeOf(url)).toBe(place))

  it.each([
    ['a file', 'see https://files.example.net/a/b.PDF', ['https://files.example.net/a/b.PDF']],
    ['an embedded file', '<img src="https://files.example.net/a/b">', ['https://files.example.net/a/b']],
    [
      'Markdown',
      '![x](https://storage.googleapis.com/my-bucket/b)',
      ['https://storage.googleapis.com/my-bucket/b'],
    ],
    ['a linked page', '<a href="https://files.example.net/about">', []],
    ["a resized copy of Newt's", `<img src="${g}/x.png?width=8">`, [`${g}/x.png`]],
    ['another bucket', '<img src="https://storage.googleapis.com/other/b.png">', []],
  ])('inText with learnt hosts returns only the addresses of assets for %s', (_, text, expected) =>
    expect(knowing.inText(text)).toEqual(expected),
  )
})

it('AssetFinder.foreignImages returns the addresses of embedded pictures on hosts that store no assets', () => {
  const html = `<img alt="" src="https://x.example/1.png"><IMG SRC=//y.example/2.png><img src="${a}/3.png"><img src="/4">`
  expect(finder.foreignImages(html)).toEqual(['https://x.example/1.png', 'https://y.example/2.png'])
})

describe('AssetFinder.replaceInText', () => {
  const b = 'https://new.example.com/demo.assets/v1/def'
  const replaced = (text: string) =>
    finder.replaceInText(text, (url) =>
      url.includes('gone') ? undefined : `${b}/${url.slice(url.lastIndexOf('/') + 1)}`,
    )
  it.each([
    ['a whole address', `${a}/x.png`, `${b}/x.png`],
    [
      'an address with a requested size',
      `<img src="${a}/x.png?width=8&amp;format=auto">`,
      `<img src="${b}/x.png?width=8&amp;format=auto">`,
    ],
    [
      'srcset',
      `<img srcset="${a}/1.png?width=4 1x, ${g}/2.png 2x" src='${a}/1.png'>`,
      `<img srcset="${b}/1.png?width=4 1x, ${b}/2.png 2x" src='${b}/1.png'>`,
    ],
    ['Markdown', `![図](${g}/y_(2).png "題") と。`, `![図](${b}/y_%282%29.png "題") と。`],
    ['an apostrophe', `<img src="${a}/it's.png">`, `<img src="${b}/it%27s.png">`],
    [
      'an address without a scheme',
      `<img src="//demo.assets.newt.so/v1/abc/x.png">`,
      `<img src="${b}/x.png">`,
    ],
    [
      'JSON with escaped slashes',
      `{"src":"${a.replaceAll('/', '\\/')}\\/1.png"}`,
      `{"src":"${b.replaceAll('/', '\\/')}\\/1.png"}`,
    ],
    [
      'an address in the query of another address',
      `<img src="/_next/image?url=${encodeURIComponent(`${a}/x.png?w=9`)}&w=640">`,
      `<img src="/_next/image?url=${encodeURIComponent(`${b}/x.png`)}%3Fw%3D9&w=640">`,
    ],
    [
      'the address of a missing file, which stays',
      `<img src="${a}/gone.png"><img src="${a}/1.png">`,
      `<img src="${a}/gone.png"><img src="${b}/1.png">`,
    ],
    [
      'addresses of other hosts, which stay',
      '<img src="https://example.com/x.png">',
      '<img src="https://example.com/x.png">',
    ],
  ])(
    'replaces only addresses of known assets, and changes nothing a second time: %s',
    (_, text, expected) => {
      expect(replaced(text)).toBe(expected)
      expect(replaced(expected)).toBe(expected)
    },
  )
})
