import { homedir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { folderIn, isUid, tokenIn, uidIn, uidList } from './pasted.ts'

describe('the parser of pasted answers', () => {
  it.each([
    ['acme', 'acme'],
    [' acme ', 'acme'],
    ['「acme」', 'acme'],
    ['ａｃｍｅ', 'acme'],
    ['https://acme.cdn.newt.so', 'acme'],
    ['https://acme.api.newt.so/v1/blog/article?limit=1', 'acme'],
    ['acme.newt.so', 'acme.newt.so'],
    ['acme.cdn.newt.so/', 'acme'],
    ['https://app.newt.so/acme', 'acme'],
    ['https://app.newt.so/acme/', 'acme'],
    ['https://app.newt.so/acme/app/blog/models/article/views/x?y=z', 'acme'],
    ['app.newt.so/acme/app/blog', 'acme'],
  ])('reads %s, where a space is expected, as %s', (answer, uid) => {
    expect(uidIn(answer, 'space')).toBe(uid)
    if (uid !== 'acme') expect(isUid(uidIn(answer, 'space'), 'space')).toBe(false)
  })

  it.each([
    ['blog', 'blog'],
    ['https://app.newt.so/acme/app/blog', 'blog'],
    ['https://app.newt.so/acme/apps/blog/models/article', 'blog'],
    ['https://acme.api.newt.so/v1/blog/article', 'blog'],
  ])('reads %s as the app %s', (answer, uid) => expect(uidIn(answer, 'app')).toBe(uid))

  it('reads models separated by spaces, commas or line breaks', () => {
    expect(uidList('article author、category，\ntag article')).toEqual([
      'article',
      'author',
      'category',
      'tag',
    ])
    expect(
      uidList('https://app.newt.so/acme/app/blog/models/article, https://acme.api.newt.so/v1/blog/author'),
    ).toEqual(['article', 'author'])
  })

  it('accepts special characters in uids of apps and models, and rejects invalid uids of models', () => {
    expect(uidIn('https://app.newt.so/acme/app/Q%26A/models/a.b', 'app')).toBe('Q&A')
    expect(uidList('https://acme.api.newt.so/v1/Q%26A/100%25?limit=1 よくある質問 a+b')).toEqual([
      '100%',
      'よくある質問',
      'a+b',
    ])
    for (const uid of ['Q&A', 'a.b', '100%', 'よくある質問', 'x'.repeat(200), 'a b', 'a?b#c']) {
      expect(isUid(uid, 'model')).toBe(true)
    }
    for (const uid of ['', '.', '..', 'a/b', 'a\\b', ' a', 'a\n', 'a\u001b[2J', '\ud800', 'x'.repeat(201)]) {
      expect(isUid(uid, 'model')).toBe(false)
    }
    expect(isUid('Q&A', 'space')).toBe(false)
  })

  it('reads tokens, and returns undefined for invalid tokens', () => {
    for (const answer of ['abc', ' abc ', '"abc"', 'Bearer abc', '\u200babc\r', '<abc>']) {
      expect(tokenIn(answer)).toBe('abc')
    }
    for (const answer of ['', ' ', 'a b', 'ａｂｃ', 'トークン']) expect(tokenIn(answer)).toBeUndefined()
  })

  it('reads folders with quotes, escaped characters and `~`', () => {
    expect(folderIn('"C:\\Users\\me\\My Folder"', 'win32')).toBe('C:\\Users\\me\\My Folder')
    expect(folderIn("'/Users/me/保存 先'", 'darwin')).toBe('/Users/me/保存 先')
    expect(folderIn('/Users/me/My\\ Folder\\ \\(1\\) ', 'darwin')).toBe('/Users/me/My Folder (1)')
    expect(folderIn('~/Desktop/x', 'linux')).toBe(join(homedir(), 'Desktop/x'))
    expect(folderIn('newt-~-x', 'linux')).toBe('newt-~-x')
  })
})
