import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { languageOf, messagesFor, sentenceFor } from '#rescue/messages/messages.ts'
import { parseCommand, parseHost } from './command.ts'

const env = { IMORI_RESCUE_API_TOKEN: 'secret-a' }
const usual = ['--space', 's', '--app', 'a', '--model', 'm']

function failing(args: string[], environment: Record<string, string> = env) {
  try {
    parseCommand(args, environment)
  } catch (error) {
    return {
      code: (error as { code: string }).code,
      sentences: (['ja', 'en'] as const)
        .map((language) => sentenceFor(error, messagesFor(language)))
        .join(' '),
    }
  }
  return { code: 'none', sentences: '' }
}

describe('parseCommand', () => {
  it('reads the options, and the tokens in `NEWT_API_TOKEN` and `NEWT_CDN_API_TOKEN`', () => {
    const command = parseCommand([...usual, '--model', 'n', '--model', 'm', '--zip', '--lang', 'en'], {
      NEWT_API_TOKEN: 'x',
      NEWT_CDN_API_TOKEN: 'y',
    })
    expect(command).toMatchObject({
      name: 'rescue',
      language: 'en',
      runs: [
        {
          models: ['m', 'n'],
          tokens: { api: 'x', cdn: 'y' },
          out: 'newt-s-a',
          zip: true,
          concurrency: 8,
        },
      ],
    })
  })

  it('parses several apps, each with its models and its own folder', () => {
    const several = [
      '--space',
      's',
      '--app',
      'blog:article,author',
      '--app',
      'shop:item',
      '--app',
      'blog:tag',
    ]
    const wanted = [
      { app: 'blog', models: ['article', 'author', 'tag'] },
      { app: 'shop', models: ['item'] },
    ]
    expect(parseCommand(several, env)).toMatchObject({
      runs: [
        { ...wanted[0], out: 'newt-s-blog' },
        { ...wanted[1], out: 'newt-s-shop' },
      ],
    })
    expect(parseCommand([...several, '--out', 'all'], env)).toMatchObject({
      runs: [{ out: join('all', 'newt-s-blog') }, { out: join('all', 'newt-s-shop') }],
    })
    expect(parseCommand(['--space', 's', '--app', 'blog:article', '--model', 'tag'], env)).toMatchObject({
      runs: [{ app: 'blog', models: ['article', 'tag'] }],
    })
  })

  it('accepts special characters in uids of apps and models, and derives safe folder names from them', () => {
    const args = ['--space', 's', '--app', 'Q&A:よくある質問,a%2Cb%3Ac', '--app', '%3A..%3A:x']
    const command = parseCommand(args, env)
    expect(command).toMatchObject({
      runs: [
        {
          app: 'Q&A',
          models: ['よくある質問', 'a,b:c'],
          out: expect.stringMatching(/^newt-s-q_a-[0-9a-f]{8}$/),
        },
        { app: ':..:', models: ['x'], out: expect.stringMatching(/^newt-s-[a-z0-9_-]+$/) },
      ],
    })
    expect(parseCommand(['--space', 's', '--app', 'a', '--model', 'x,y:100%'], env)).toMatchObject({
      runs: [{ models: ['x,y:100%'] }],
    })
  })

  it('returns the commands `ask`, `help` and `verify`', () => {
    expect(parseCommand([], {}).name).toBe('ask')
    expect(parseCommand(['-h'], { LANG: 'en_US.UTF-8' })).toEqual({ name: 'help', language: 'en' })
    expect(parseCommand(['verify', 'dir'], { LANG: 'ja_JP.UTF-8' })).toMatchObject({
      name: 'verify',
      dir: 'dir',
    })
  })

  it.each(['--token', '--api-token', '--cdn-token=hush-hush', '-token', '--key', '--api-key=hush-hush'])(
    'rejects a token as argument without repeating it: %s',
    (flag) => {
      const { code, sentences } = failing([...usual, flag, 'hush-hush'])
      expect(code).toBe('token_in_arguments')
      expect(sentences).not.toContain('hush-hush')
    },
  )

  it.each([
    [['--space', 's'], 'usage'],
    [['--space', '../x', '--app', 'a', '--model', 'm'], 'usage'],
    [['--space', 's', '--app', 'a', '--model', 'a/b'], 'usage'],
    [['--space', 's', '--app', 'a', '--model', '..'], 'usage'],
    [['--space', 's', '--app', 'a%2Fb:m'], 'usage'],
    [['--space', 's', '--app', 'a:m', '--app', 'b'], 'usage'],
    [['--space', 's', '--app', 'a:m', '--app', 'b:n', '--model', 'x'], 'usage'],
    [['--space', 'Q&A', '--app', 'a', '--model', 'm'], 'usage'],
    [[...usual, '--origin', 'ftp://x'], 'usage'],
    [[...usual, '--origin', 'https://u:p@x'], 'usage'],
    [[...usual, '--concurrency', '0'], 'usage'],
    [[...usual, '--nonsense=hush-hush'], 'usage'],
    [[...usual, 'hush-hush'], 'usage'],
    [['verify'], 'usage'],
  ])('rejects %j', (args, expected) => {
    const { code, sentences } = failing(args)
    expect(code).toBe(expected)
    expect(sentences).not.toContain('hush-hush')
  })

  it('accepts a token pasted with quotes and `Bearer`, and rejects a token in full-width letters', () => {
    const command = parseCommand(usual, { IMORI_RESCUE_API_TOKEN: ' "Bearer abc" ' })
    expect(command).toMatchObject({ runs: [{ tokens: { api: 'abc' } }] })
    expect(failing(usual, { IMORI_RESCUE_API_TOKEN: 'ａｂｃ' }).code).toBe('token_garbled')
  })

  it.each([
    [{ HTTPS_PROXY: 'http://proxy.example:8080' }, 'http://proxy.example:8080'],
    [{ https_proxy: 'proxy.example:8080' }, 'http://proxy.example:8080'],
    [{ HTTPS_PROXY: 'http://proxy.example:8080', NO_PROXY: 'localhost, .newt.so' }, undefined],
    [{ HTTPS_PROXY: 'http://proxy.example:8080', NO_PROXY: 'localhost' }, 'http://proxy.example:8080'],
    [{ ALL_PROXY: 'socks5://proxy.example' }, undefined],
    [{}, undefined],
  ])('determines the proxy from %j', (environment, proxy) => {
    expect(parseCommand(usual, { ...env, ...environment })).toMatchObject({ runs: [{ proxy }] })
  })

  it('accepts a long dash in place of two hyphens', () => {
    expect(parseCommand(['—space', 's', '–app', 'a', '--model', 'm'], env)).toMatchObject({
      runs: [{ space: 's', app: 'a' }],
    })
  })

  it('throws `token_missing` without an API token', () =>
    expect(failing(usual, {}).code).toBe('token_missing'))
})

it('`parseHost` returns the host, or undefined for an invalid host', () => {
  expect(parseHost('media.example.com')).toBe('media.example.com')
  expect(parseHost('https://media.example.com:8443/')).toBe('media.example.com:8443')
  expect(parseHost('a b')).toBeUndefined()
  expect(parseHost('example.com/path')).toBeUndefined()
})

it.each([
  [{}, 'ja'],
  [{ LANG: 'ja_JP.UTF-8' }, 'ja'],
  [{ LANG: 'C.UTF-8' }, 'ja'],
  [{ LANG: 'en_US.UTF-8' }, 'en'],
  [{ LANG: 'ja_JP.UTF-8', LC_ALL: 'en_GB' }, 'en'],
  [{ LANG: 'cs_CZ.UTF-8' }, 'en'],
])('`languageOf` reads %j as %s', (locale, expected) => expect(languageOf(locale)).toBe(expected))
